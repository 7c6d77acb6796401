// Decides which strings of Kubernetes' built-in kinds are shown, by the JSON name of their field. A test requires a row for every string
// and bytes field of the generated table, so that a new release needs a decision.

import { type FieldRow, fieldRows, rowsByField } from './rows.js';

/** Sources: k8s.io/api (types.go of each group), k8s.io/apimachinery pkg/apis/meta/v1, apiextensions, kube-aggregator. */
export const KUBERNETES_ROWS: readonly FieldRow[] = fieldRows([
  [
    'name',
    'a name of an object, of a part of one, or of something that objects refer to',
    `name namespace namespaces generateName finalizers nodeName nominatedNodeName nodeID zone claimName secretName
    secretNamespace volumeName volumeNamespace volumesInUse persistentVolumeName storageClassName
    volumeAttributesClassName currentVolumeAttributesClassName targetVolumeAttributesClassName driverName driver
    attacher provisioner priorityClassName runtimeClassName runtimeHandler handler schedulerName serviceAccount
    serviceAccountName serviceName ingressClassName loadBalancerClass policyName signerName leaseName podName
    podGroupName parentCompositePodGroupName templateName workloadName container containerName containers
    targetContainerName requestName request requests requester resourceClaimName resourceClaimTemplateName
    deviceClassName device pool poolName counterSet shareID resourceID extendedResourceName gmsaCredentialSpecName
    endpoints endpointsNamespace managedBy interfaceName subdomain service searches metricName kubeletConfigKey prefix`,
  ],
  [
    'name',
    'a name of a resource, kind, group, version or field of the API',
    `kind apiVersion apiVersions apiGroup apiGroups group groupVersion version versions resource resources resourceName
    resourceNames subresource subResource requestSubResource plural singular singularName singularResource shortNames
    listKind categories admissionReviewVersions conversionReviewVersions desiredAPIVersion servedVersions
    decodableVersions storedVersions encodingVersion commonEncodingVersion emulationVersion binaryVersion required
    x-kubernetes-list-map-keys bindingConditions bindingFailureConditions declaredFeatures
    compatibilityGroups`,
  ],
  [
    'key',
    'a key of a map or label, a variable, a header field',
    `key topologyKey topologyKeys matchLabelKeys mismatchLabelKeys capacityKey attribute matchAttribute
    distinctAttribute partitionTypeAttribute defaultPartitionTypeAttribute EnvVar.name HTTPHeader.name`,
  ],
  [
    'name',
    'who did it: a component, a controller, a program',
    `manager fieldManager component reportingComponent reportingController controller holderIdentity
    preferredHolder apiServerID`,
  ],
  [
    'name',
    'what a machine is and runs',
    `architecture operatingSystem kernelVersion containerRuntimeVersion kubeletVersion kubeProxyVersion machineID
    systemUUID bootID providerID externalID`,
  ],
  ['phrase', 'the name of an operating system', 'osImage'],
  ['phrase', 'the heading of a column', 'CustomResourceColumnDefinition.name'],
  [
    'word',
    'an enumerated value of the API',
    `accessMode accessModes addressType allocatedResourceStatuses allocationMode appProtocol cachingMode
    completionMode concurrencyPolicy dnsPolicy dryRun effect externalTrafficPolicy failurePolicy fieldValidation
    fieldsType freshness fsGroupChangePolicy fsGroupPolicy fsType health imagePullPolicy includeObject intent
    internalTrafficPolicy ipFamilies ipFamilyPolicy ipMode keyType matchPolicy medium mode mountPropagation
    nodeAffinityPolicy nodeTaintsPolicy operation operations operator parameterNotFoundAction patchType pathType
    persistentVolumeReclaimPolicy podManagementPolicy podReplacementPolicy policyTypes preemptionPolicy
    disableResizePreemption procMount propagationPolicy protocol pullPolicy qosClass reclaimPolicy recursiveReadOnly
    reinvocationPolicy resize resourceVersionMatch restartPolicy scheme scope scopeName scopes seLinuxChangePolicy
    selectPolicy sessionAffinity sideEffects skipNodeOperations source stopSignal strategy stream
    supplementalGroupsPolicy terminationMessagePolicy trafficDistribution unhealthyPodEvictionPolicy
    validationActions verb verbs volumeBindingMode volumeLifecycleModes volumeMode whenDeleted whenScaled
    whenUnsatisfiable x-kubernetes-list-type x-kubernetes-map-type`,
  ],
  ['phrase', 'enumerated values, some of two words', 'usages'],
  [
    'word',
    'a state, its reason, or the type of a condition: words of a program, not sentences',
    'phase reason status state type conditionType action',
  ],
  ['word', 'capabilities and security labels of the kernel', 'add drop level role SELinuxOptions.user'],
  ['word', 'a name of a format', 'format'],
  ['uid', 'an identity and nothing else', 'uid storageVersionHash nodeUID podUID serviceAccountUID failed succeeded'],
  ['name', 'a version or revision of an object', 'resourceVersion currentRevision updateRevision'],
  [
    'user',
    'the requesting user; names of users and groups stay',
    'username groups SubjectAccessReviewSpec.user runAsUserName',
  ],
  ['image', 'a reference of an image, or the id of a container', 'image imageID imageRef reference names containerID'],
  [
    'address',
    'addresses and ranges of the network',
    `ip ips hostIP podIP podCIDR podCIDRs clusterIP clusterIPs externalIPs loadBalancerIP loadBalancerSourceRanges cidr
    cidrs except nameservers clientCIDR hardwareAddress range`,
  ],
  [
    'host',
    'names of hosts, and of programs on them',
    'reportingInstance host hosts hostname hostnames hostnameOverride externalName address addresses serverAddress server',
  ],
  ['endpoint', 'for whom a token is: an API server, or a program by its name or URL', 'audience audiences'],
  [
    'path',
    'where in a file system',
    `path paths mountPath subPath subPathExpr devicePath workingDir terminationMessagePath localhostProfile secretFile
    certificateChainPath credentialBundlePath keyPath`,
  ],
  [
    'target',
    'a path or URL; what its query holds is judged as that of a request',
    `HTTPGetAction.path NonResourceAttributes.path NodeProxyOptions.path PodProxyOptions.path ServiceProxyOptions.path
    WebhookClientConfig.url selfLink nonResourceURLs HTTPIngressPath.path`,
  ],
  [
    'field-path',
    'names of fields, one below the other',
    'field fieldPath fieldRef jsonPath labelSelectorPath specReplicasPath statusReplicasPath',
  ],
  ['numbers', 'indexes of a Job', 'completedIndexes failedIndexes succeededIndexes'],
  ['schedule', 'when a CronJob runs', 'schedule timeZone'],
  ['setting', 'settings of the kernel and of resolv.conf that are numbers', 'Sysctl.value PodDNSConfigOption.value'],
  [
    'text',
    'what a program says: templates of Kubernetes and words of its dictionary',
    `message note error evaluationError validationError warnings deprecationWarning SubjectAccessReviewStatus.reason
    ImageReviewStatus.reason`,
  ],
  ['failure', 'a failure, which may repeat values of the request (failures.ts)', 'Status.message StatusCause.message'],
  ['none', 'a webhook may repeat the object', 'AdmissionResponse.warnings'],
  ['words', 'what a container wrote before it ended', 'ContainerStateTerminated.message'],
  ['command', 'the program stays, its arguments are counted', 'command'],
  ['arguments', 'are counted', 'args'],
  ['labels', 'by key and value (label-values.ts)', 'labels matchLabels nodeSelector selector deprecatedTopology'],
  ['label', 'a value of the label that stands beside it', 'value values'],
  [
    'selector',
    'labels and requirements on them',
    'ScaleStatus.selector ShardInfo.selector labelSelector fieldSelector shardSelector rawSelector',
  ],
  ['annotations', 'keys, and values of a closed list (annotations.ts)', 'annotations'],
  ['phrase', "a driver's description of its device", 'DeviceAttribute.string strings'],

  ['none', 'what objects are made to hold', 'data stringData binaryData'],
  ['none', 'may be a secret: the variable’s or header’s name stays', 'EnvVar.value HTTPHeader.value'],
  [
    'none',
    'credentials',
    'token CertificateSigningRequestSpec.request certificate certificateChain pkixPublicKey proofOfPossession stubPKCS10Request',
  ],
  ['none', 'long and of no use to a reader', 'caBundle trustBundle continue continueToken'],
  [
    'none',
    'options of drivers, into which credentials are put',
    'options parameters volumeAttributes attachmentMetadata mountOptions bindMountOptions userAnnotations unverifiedUserAnnotations',
  ],
  ['none', 'code and literals of an administrator', 'expression valueExpression messageExpression rule warning'],
  ['none', 'what authenticators and webhooks add', 'auditAnnotations'],
  ['none', 'encoded', 'patch gmsaCredentialSpec'],
  ['none', 'prose', 'description title pattern id $ref $schema ExternalDocumentation.url'],
  [
    'none',
    'coordinates of storage outside of the cluster, in a form of its own',
    `volumeHandle volumeID volumePath volume diskName diskURI pdID pdName datasetName datasetUUID shareName directory
    gateway iqn initiatorName iscsiInterface keyring monitors portals targetPortal targetWWNs wwids
    protectionDomain registry repository revision storageMode storagePolicyID storagePolicyName storagePool system
    tenant user CephFSVolumeSource.path CephFSPersistentVolumeSource.path GlusterfsVolumeSource.path
    GlusterfsPersistentVolumeSource.path`,
  ],
]);

/** Messages of protobuf that JSON writes in another form, by the last part of their name. */
export const SPECIAL_ROWS: readonly FieldRow[] = [
  { field: 'Time', showing: 'time', reason: 'a time' },
  { field: 'MicroTime', showing: 'time', reason: 'a time' },
  { field: 'Duration', showing: 'duration', reason: 'a duration' },
  { field: 'Quantity', showing: 'quantity', reason: 'a quantity' },
  { field: 'QuantityValue', showing: 'quantity', reason: 'a quantity' },
  { field: 'IntOrString', showing: 'port', reason: 'a number, a percentage or the name of a port' },
  { field: 'Verbs', showing: 'word', reason: 'names of verbs' },
  { field: 'FieldsV1', showing: 'managed-fields', reason: 'names of fields that a program wrote, without values' },
  { field: 'ExtraValue', showing: 'none', reason: 'what authenticators add' },
  { field: 'AttestationValue', showing: 'none', reason: 'what authenticators add' },
];

/** Members that every object may have, and directives of strategic merge patches (kubectl, strategic-merge-patch.md). */
export const OBJECT_ROWS: readonly FieldRow[] = fieldRows([
  ['name', 'which kind it is', 'kind apiVersion'],
  ['word', 'a directive of a strategic merge patch', '$patch'],
  ['name', 'names of fields in a strategic merge patch', '$retainKeys'],
]);

export const KUBERNETES_BY_FIELD = rowsByField(KUBERNETES_ROWS);
export const SPECIAL_BY_TYPE = rowsByField(SPECIAL_ROWS);
