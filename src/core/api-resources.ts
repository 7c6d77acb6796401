// Lists the resources of Kubernetes' core group and its groups without a dot, which tell paths of the API from similar ones.

/** Kubernetes: pkg/registry/core/rest/storage_core.go. */
export const CORE_RESOURCES: readonly string[] =
  'bindings componentstatuses configmaps endpoints events limitranges namespaces nodes persistentvolumeclaims persistentvolumes pods podtemplates replicationcontrollers resourcequotas secrets serviceaccounts services'.split(
    ' ',
  );

/** k8s.io/api. Groups of custom resources have a dot (apiextensions-apiserver, pkg/apis/apiextensions/validation). */
export const UNDOTTED_GROUPS: readonly string[] = ['apps', 'autoscaling', 'batch', 'extensions', 'policy'];
