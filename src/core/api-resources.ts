// Which resources Kubernetes' core group has, and which of its groups have no dot: what tells a path of its API from one that looks
// like it.

/** Kubernetes: pkg/registry/core/rest/storage_core.go. */
export const CORE_RESOURCES: readonly string[] =
  'bindings componentstatuses configmaps endpoints events limitranges namespaces nodes persistentvolumeclaims persistentvolumes pods podtemplates replicationcontrollers resourcequotas secrets serviceaccounts services'.split(
    ' ',
  );

/** k8s.io/api; groups of custom resources have a dot (apiextensions-apiserver, pkg/apis/apiextensions/validation). */
export const UNDOTTED_GROUPS: readonly string[] = ['apps', 'autoscaling', 'batch', 'extensions', 'policy'];
