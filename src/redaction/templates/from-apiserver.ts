// Templates of the API server of every group, by the file of Kubernetes 1.34 that writes them; made by scripts/templates.

import { dictionary } from '../../core/collections/dictionary.js';

export const APISERVER_FORMATS: Readonly<Record<string, readonly string[]>> = dictionary({
  'apimachinery/pkg/api/errors/errors.go': [
    '{kind} "{name}" already exists, the server was not able to generate a unique name for the object',
    'Operation cannot be fulfilled on {resource} "{name}": {text}',
    'The {text} operation against {resource} could not be completed at this time, please try again.',
  ],
  'apimachinery/pkg/api/meta/errors.go': [
    '{kind} matches multiple resources {text} and kinds {text}',
    '{kind} matches multiple kinds {text}',
    '{kind} matches multiple resources {text}',
    '{kind} matches multiple resources or kinds',
    'no matches for kind "{resource}" in group "{text}"',
    'no matches for kind "{resource}" in version "{text}"',
    'no matches for kind "{resource}" in versions "{text}"',
  ],
  'apimachinery/pkg/api/meta/meta.go': ['expected struct, but got {resource}: {text} ({text})'],
  'apimachinery/pkg/api/meta/restmapper.go': [
    'a resource must be present, got: {resource}',
    'the provided version "{resource}" and kind "{resource}" cannot be mapped to a supported scope',
  ],
  'apimachinery/pkg/api/validate/union.go': [
    'may only be specified when `{name}` is "{text}"',
    'must be specified when `{name}` is "{text}"',
  ],
  'apimachinery/pkg/api/validation/objectmeta.go': [
    '{kind} is disallowed from being an owner',
    'Only one reference can have Controller set to true. Found "true" in references for {name} and {name}',
    'finalizer {plugin} and {plugin} cannot be both set',
  ],
  'apimachinery/pkg/runtime/codec.go': ['unable to decode {resource} into {text}'],
  'apimachinery/pkg/runtime/converter.go': [
    "couldn't parse '{name}' as bool for unstructured mismatch detection",
    'cannot restore map from {resource}',
    'cannot restore slice from {resource}',
    'cannot restore struct from: {resource}',
    'cannot convert map to: {resource}',
    'cannot convert slice to: {resource}',
    'cannot convert struct to: {resource}',
  ],
  'apimachinery/pkg/runtime/error.go': [
    'no kind is registered for the type {text} in scheme "{name}"',
    'no version "{resource}" has been registered in scheme "{name}"',
    'no kind "{resource}" is registered for the internal version of group "{resource}" in scheme "{name}"',
    'no kind "{resource}" is registered for version "{resource}" in scheme "{name}"',
  ],
  'apimachinery/pkg/util/mergepatch/errors.go': ['precondition failed for: {file}'],
  'apiserver/pkg/admission/config.go': ['unable to read admission control configuration from "{file}" [{text}]'],
  'apiserver/pkg/admission/plugin/namespace/lifecycle/admission.go': [
    'unable to create new content in namespace {name} because it is being terminated',
    'namespace {name} is being terminated',
  ],
  'apiserver/pkg/admission/plugin/policy/internal/generic/controller.go': ["error syncing '{name}': {text}, requeuing"],
  'apiserver/pkg/admission/plugin/policy/mutating/dispatcher.go': [
    'expected {count} compiled evaluators for policy {name}, got {count}',
    'Resource kind {resource} not found. There can be a delay between when CustomResourceDefinitions are created and when they are available.',
  ],
  'apiserver/pkg/admission/plugin/policy/mutating/patch/typeconverter.go': [
    'failed to parse group version "{file}": {text}',
    'failed to get schema for {resource}: {text}',
    'failed to unmarshal schema for {resource}: {text}',
    'failed to create type converter for {resource}: {text}',
  ],
  'apiserver/pkg/admission/plugin/policy/validating/dispatcher.go': [
    "Validation failed for ValidatingAdmissionPolicy '{name}' with binding '{name}': {text}",
    "unrecognized evaluation decision '{text}' for ValidatingAdmissionPolicyBinding '{name}' with ValidatingAdmissionPolicy '{name}'",
  ],
  'apiserver/pkg/admission/plugin/policy/validating/typechecking.go': ['{kind}: type checking error: {text}'],
  'apiserver/pkg/admission/plugin/resourcequota/controller.go': [
    'error matching scopes of quota {name}, err: {text}',
    'status unknown for quota: {name}, resources: {text}',
    'exceeded quota: {name}, requested: {text}, used: {text}, limited: {text}',
  ],
  'apiserver/pkg/admission/plugin/webhook/errors/statuserror.go': [
    'admission webhook "{name}" does not support dry run',
  ],
  'apiserver/pkg/admission/plugin/webhook/mutating/dispatcher.go': [
    'admission webhook "{name}" attempted to modify the object, which is not supported for this operation',
  ],
  'apiserver/pkg/admission/plugin/webhook/request/admissionreview.go': [
    'expected response.uid="{uid}", got "{uid}"',
    'expected webhook response of {resource}, got {text}',
  ],
  'apiserver/pkg/admission/plugin/webhook/validating/dispatcher.go': [
    'ValidatingAdmissionWebhook/{name} has panicked: {text}',
  ],
  'apiserver/pkg/admission/plugins.go': [
    'couldn\'t init admission plugin "{name}": {text}',
    'unknown admission plugin: {name}',
    'failed to initialize admission plugin "{name}": {text}',
  ],
  'apiserver/pkg/authentication/request/x509/x509.go': ['x509: subject with cn={name} is not in the allowed list'],
  'apiserver/pkg/endpoints/deprecation/deprecation.go': ['{kind} {resource} is deprecated in v{count}.{count}+'],
  'apiserver/pkg/endpoints/handlers/create.go': ['failed to create new object (Create for {resource}): {text}'],
  'apiserver/pkg/endpoints/handlers/negotiation/errors.go': [
    'only the following media types are accepted when converting to {file}: {text}',
  ],
  'apiserver/pkg/endpoints/handlers/patch.go': [
    'uid mismatch: the provided object specified uid {uid}, and no existing object was found',
  ],
  'apiserver/pkg/endpoints/handlers/responsewriters/errors.go': [
    'User "{user}" cannot {text} path "{url}"',
    'User "{user}" cannot {text} resource "{resource}" in API group "{text}" in the namespace "{name}"',
    'User "{user}" cannot {text} resource "{resource}" in API group "{text}" at the cluster scope',
  ],
  'apiserver/pkg/endpoints/handlers/rest.go': [
    '{kind} in version "{resource}" cannot be handled as a {resource}: {text}',
    'the object provided is unrecognized (must be of type {resource}): {text} ({text})',
    'the name of the object ({name} based on URL) was undeterminable: {text}',
    'the name of the object ({name}) does not match the name on the URL ({name})',
    'the namespace of the object ({name}) does not match the namespace on the request ({name})',
  ],
  'apiserver/pkg/endpoints/handlers/update.go': [
    'the API version in the data ({text}) does not match the expected API version ({resource})',
  ],
  'apiserver/pkg/endpoints/installer.go': [
    'error in registering resource: {file}, {text}',
    'missing parent storage: "{resource}"',
    'resource {resource} must implement SingularNameProvider',
  ],
  'apiserver/pkg/registry/rest/delete.go': [
    'the UID in the precondition ({uid}) does not match the UID in record ({uid}). The object might have been deleted and then recreated',
  ],
  'apiserver/pkg/registry/rest/resttest/resttest.go': [
    "Expected empty namespace on created object, got '{name}'",
    'unexpected, object {name} should have been deleted immediately',
    'unexpected, object {name} should not have been deleted immediately',
    'unexpected name of object: {text}, expected: {name}',
    'unexpected Items field type: {resource}',
  ],
  'apiserver/pkg/registry/rest/table.go': ['the resource {resource} does not support being converted to a Table'],
  'apiserver/pkg/registry/rest/validate.go': ['invalid subresource path: {file}'],
  'apiserver/pkg/server/config.go': [
    'hook func may not be nil: "{name}"',
    'unable to add "{name}" because it was already registered by: {text}',
    'refusing to create new apiserver "{name}" with support for media type "{text}" (allowed media types are: {text})',
  ],
  'apiserver/pkg/server/config_selfclient.go': ['invalid server bind address: "{address}"'],
  'apiserver/pkg/server/deleted_kinds.go': [
    'cannot enable resource {resource} in runtime-config because it is introduced at {text} after the current version {text}. Consider setting --runtime-config-emulation-forward-compatible=true',
  ],
  'apiserver/pkg/server/healthz.go': [
    'nil clock in healthCheckRegistry for {file} endpoint',
    'unable to add because the {file} endpoint has already been created',
  ],
  'apiserver/pkg/server/hooks.go': [
    'unable to add "{name}" because PostStartHooks have already been called',
    'unable to add "{name}" because PreShutdownHooks have already been called',
    'unable to add "{name}" because it is already registered',
  ],
  'apiserver/pkg/server/routes/debugsocket.go': ['failed to remove ({file}): {text}'],
  'apiserver/pkg/storage/cacher/cache_watcher.go': [
    "error while accessing object's metadata gr: {resource}, identifier: {text}, obj: {text}, err: {text}",
  ],
  'apiserver/pkg/storage/cacher/cacher.go': [
    'config.EventsHistoryWindow ({duration}) must not be below {duration}',
    'need a pointer to slice, got {resource}',
  ],
  'apiserver/pkg/storage/cacher/delegator.go': [
    'Cache consistency check failed, group: "{resource}", resource: "{resource}", resourceVersion: "{text}", etcdDigest: "{text}", cacheDigest: "{text}"',
  ],
  'apiserver/pkg/storage/cacher/store_btree.go': ['index with name {name} does not exist'],
  'apiserver/pkg/storage/errors.go': [
    'StorageError: {text}, Code: {count}, Key: {name}, ResourceVersion: {count}, AdditionalErrorMsg: {text}',
  ],
  'apiserver/pkg/storage/etcd3/corrupt_obj_deleter.go': ['failed to read one or more {resource} from the storage'],
  'apiserver/pkg/storage/etcd3/watcher.go': [
    "error while accessing object's metadata gr: {resource}, type: {text}, obj: {text}, err: {text}",
  ],
  'apiserver/pkg/storage/interfaces.go': ['Precondition failed: UID in precondition: {uid}, UID in object meta: {uid}'],
  'apiserver/pkg/util/flowcontrol/apf_controller.go': [
    'failed to set a status.condition for FlowSchema {name}: {text}',
    'priority level "{name}" has QueuingConfiguration {text}, which is invalid: {text}',
    'This FlowSchema references the PriorityLevelConfiguration object named "{name}" but there is no such object',
    'This FlowSchema references the PriorityLevelConfiguration object named "{name}" and it exists',
    'no fallback catch-all flow schema found for request {text} and user {user}',
  ],
  'apiserver/pkg/util/flowcontrol/conc_alloc.go': [
    'target {count} is {file}, which is below its lower bound of {text}',
  ],
  'apiserver/pkg/util/webhook/error.go': [
    'failed calling webhook "{name}": {text}',
    'failed calling webhook "{name}"; no further details available',
  ],
  'apiserver/plugin/pkg/authenticator/token/oidc/oidc.go': ['claim "{name}" failed to unmarshal: {text}'],
  'apiextensions-apiserver/pkg/apihelpers/helpers.go': [
    'version {text} not found in apiextensionsv1.CustomResourceDefinition: {name}',
  ],
  'apiextensions-apiserver/pkg/apis/apiextensions/helpers.go': [
    'malformed CustomResourceDefinition {name} version {text}: top-level and per-version schemas must be mutual exclusive',
    'version {text} not found in CustomResourceDefinition: {name}',
    'malformed CustomResourceDefinition {name} version {text}: top-level and per-version subresources must be mutual exclusive',
    'malformed CustomResourceDefinition {name} version {text}: top-level and per-version additionalPrinterColumns must be mutual exclusive',
  ],
  'apiextensions-apiserver/pkg/apis/apiextensions/validation/validation.go': [
    'oldSelf cannot be used on the uncorrelatable portion of the schema within {file}',
  ],
  'apiextensions-apiserver/pkg/apiserver/conversion/converter.go': [
    'unknown conversion strategy "{text}" for CRD {name}',
    '{kind} is unstructured and is not suitable for converting to "{file}"',
    'request to convert CR to an invalid group/version: {resource}',
    'request to convert CR from an invalid group/version: {resource}',
  ],
  'apiextensions-apiserver/pkg/apiserver/conversion/webhook_converter.go': [
    'conversion webhook for {resource} failed: {text}',
    'conversion webhook for {resource} returned {count} objects, expected {count}',
    'conversion webhook for {resource} returned invalid converted object at index {text}: {text}',
    'conversion webhook for {resource} returned invalid converted object at index {text}: invalid groupVersion (expected {text}, received {text})',
    'conversion webhook for {resource} returned invalid converted object at index {text}: invalid kind (expected {text}, received {text})',
    'conversion webhook for {resource} returned invalid metadata in object at index {text}: {text}',
    'conversion webhook for {resource} failed, no objects returned',
    'conversion webhook for {resource} returned invalid object at index 0: invalid groupVersion (expected {text}, received {text})',
    'conversion webhook for {resource} returned invalid object at index 0: invalid kind (expected {text}, received {text})',
    'conversion webhook for {resource} returned invalid object: {text}',
    'conversion webhook for {resource} returned invalid metadata: {text}',
  ],
  'apiextensions-apiserver/pkg/apiserver/customresource_handler.go': [
    'error building openapi models for {name}: {text}',
    'CustomResourceDefinition {name} has unexpected empty status.acceptedNames.plural',
    'CustomResourceDefinition {name} has unexpected empty status.acceptedNames.singular',
    'CustomResourceDefinition {name} has unexpected empty status.acceptedNames.kind',
    'CustomResourceDefinition {name} has unexpected empty status.acceptedNames.listKind',
  ],
  'apiextensions-apiserver/pkg/client/informers/externalversions/generic.go': ['no informer found for {resource}'],
  'apiextensions-apiserver/pkg/controller/nonstructuralschema/nonstructuralschema_controller.go': [
    'failed to check validation schema for version {name}: {text}',
  ],
  'apiextensions-apiserver/pkg/registry/customresource/etcd.go': [
    'the spec replicas field "{file}" does not exist',
    'the spec replicas field "{file}" cannot be empty',
  ],
  'apiextensions-apiserver/pkg/registry/customresource/tableconvertor/tableconvertor.go': [
    'unrecognized column definition "{file}"',
    'Custom resource definition column (in JSONPath format): {file}',
  ],
  'kube-aggregator/pkg/apis/apiregistration/validation/validation.go': [
    'must be `spec.version+"."+spec.group`: "{name}"',
  ],
  'kube-aggregator/pkg/apiserver/apiservice_controller.go': ['failed to initially sync APIService {name}: {text}'],
  'kube-aggregator/pkg/apiserver/handler_discovery.go': ['failed to download legacy discovery for {file}: {text}'],
  'kube-aggregator/pkg/controllers/cache.go': ['Unable to sync caches for {name} controller'],
  'kube-aggregator/pkg/controllers/status/remote/remote_available_controller.go': [
    'service/{name} in "{name}" is not present',
    'service/{name} in "{name}" cannot be checked due to: {text}',
    'service/{name} in "{name}" is not listening on port {count}',
    'cannot find endpointslices for service/{name} in "{name}"',
    'endpointslices for service/{name} in "{name}" have no addresses with port name "{name}"',
  ],
  'pod-security-admission/admission/admission.go': [
    'failed to lookup namespace "{name}"',
    'failed to lookup namespace "{name}": {text}',
    'existing pods in namespace "{name}" violate the new PodSecurity enforce level "{text}"',
    'namespace "{name}" is exempt from Pod Security, and the policy ({text}) will be ignored',
  ],
});
