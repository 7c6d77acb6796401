// Words that messages have and that no format string has twice: small words of English, errors of the kernel and of Go.

export const ENGLISH = `answer answers weak strong card a about above after again against all almost already also although always am among an and another any anything are
aren't around as ask asked at away back be became because become been before began begin behind being below best better between both but
by call called calls came can can't cannot case cat caused causes change changed check checked clear close closed come comes completed could
couldn't deep denied deny did didn't different do does doesn't doing don't done down due during each either else empty end ended ends enough
error even ever every exceed exceeded exceeds exist existing exists fail failed failing fails failure far few fewer find first fix fixed
for forbidden forever found from full gave get gets getting give given go goes going gone got greater had hadn't half has hasn't have
haven't having he held help her here high higher his hold how however i if immediately in inside instead into is isn't it it's its itself
just keep kept kind know known large larger largest last late later latest least left less let like limit line list little long longer look
looking lost low lower made main make makes making many match matched matches matching may maybe me mean means might minimum missing mode
more most much must my name named near need needed needs neither never new newer next no nobody none nor not nothing now null of off often old
older on once one ones only onto open opened or other others otherwise our out outside over own past per place please possible previous
previously problem put ran rather reached read ready really reason recent refused rejected remain remaining remains removed replaced
required requires response result retry retrying return returned right run running runs said same saw say says second see seen send sending sent
set several shall she short should shouldn't show since slow small smaller so some something soon started starting still stop stopped
stopping stuck succeeded successfully such take taken takes tell than that that's the their them then there these they thing things this
those though three through thus time times to together too took toward tried tries try trying turn two under unless until up upon us use
used uses using usual value values very via wait waited waiting want wants was wasn't way we well went were what when where whether which
while who whole whose why will with within without won't work worked working works would wouldn't wrong yes yet you your zero`;

/** syscall/zerrors_linux_amd64.go, errors of net, crypto/x509 and crypto/tls, and what a shell says. */
export const ERRNO = `operation not permitted no such file or directory process interrupted system call input/output device or address
argument list too long exec format error bad file descriptor no child processes resource temporarily unavailable cannot allocate memory permission
denied bad address block device required device or resource busy file exists invalid cross-device link not a directory is a directory invalid argument
too many open files inappropriate ioctl text file busy file too large no space left on device illegal seek read-only file system too many links
broken pipe numerical out of range deadlock avoided name too long function not implemented directory not empty levels of symbolic links
connection reset by peer connection refused connection timed out host is down no route to host operation already in progress stale handle
network is unreachable network is down address already in use cannot assign requested address protocol not supported transport endpoint
disk quota exceeded operation canceled i/o timeout no such host server misbehaving use of closed network connection unexpected eof broken
certificate signed by unknown authority certificate has expired or is not yet valid cannot validate for because it doesn't contain any ip sans
tls handshake bad certificate remote error internal expired unknown first record does not look like a handshake malformed http response
context deadline exceeded context canceled client.timeout awaiting headers dial tcp udp lookup read write connect proxyconnect
segmentation fault killed core dumped command not found permission syntax unexpected panic goroutine exit code status signal oom oomkilled
stat open mkdir mount unmount chown chmod lstat readlink symlink unlink rename fork exec executable path bin sh bash usr lib var run etc proc sys
dev tmp opt home root mnt srv sbin log cat ls cp mv grep sleep echo curl wget`;

/** Names of programs and projects that Events speak of. */
export const WELL_KNOWN = `limits.cpu limits.memory requests.cpu requests.memory requests.storage limits.ephemeral-storage requests.ephemeral-storage
hostports subnet elb alb nlb java node python nginx redis postgres mysql kafka rabbitmq mongodb elasticsearch containerlogs outofsync healthz livez readyz organization organizations manifest manifests drift candidate candidates underutilized consolidation
replacement replacements savings artifact artifacts revision revisions branch commit repository repositories upstream downstream sync synced syncing
reconcile reconciled reconciling reconciliation rollout rollback rolled release releases chart charts install installed installing upgrade upgraded
upgrading uninstall uninstalled backup restore restored restoring snapshot snapshots replica replicas primary secondary standby leader follower failover
database databases cluster clusters tenant tenants broker topic queue cache caches index shard shards user users role roles quota quotas certificate
certificates renewal renewed expired expires expiring domain domains challenge order account validated validating policy policies violation violations
rule rules scan scanned scanning vulnerability vulnerabilities severity critical high medium low warning alert alerts threshold metric metrics scrape
gateway gateways route routes listener listeners backend backends ingress egress traffic weight canary stable preview promote promoted abort aborted
pause paused resume resumed suspend suspended drain drained draining provision provisioned provisioning deprovision launch launched launching
terminate terminated terminating interruption spot capacity availability zone zones region regions instance instances subnet subnets security
network networks firewall tunnel peer peers session sessions connected disconnected connecting reachable unreachable healthy unhealthy degraded
progressing pending running succeeded completed skipped blocked unknown maintenance migration migrated migrating operation operations task tasks
step steps pipeline pipelines stage stages workflow workflows trigger triggered schedule scheduled scheduling unschedulable reason message phase
observed generation desired actual current expected available unavailable updated outdated up-to-date label labels annotation annotations selector
owner owners reference references parent child children dependency dependencies spec template templates hash checksum digest tag tags layer layers
firmware device devices driver drivers kernel module modules disk disks partition filesystem mounted unmounted attached detached pool pools tier
gold silver bronze full free used total bytes percent seconds minutes hours days attempt attempts times once twicekubelet kube-apiserver kube-scheduler kube-controller-manager kube-proxy apiserver scheduler controller-manager etcd
coredns kube-dns containerd cri-o crio runc crun docker dockershim podman cni csi cri oci calico cilium flannel weave multus istio envoy linkerd helm
kustomize flux argo argocd argo-cd karpenter cert-manager cert-manager.io acme issuer letsencrypt prometheus grafana kyverno gatekeeper opa vault
default-scheduler cluster-autoscaler vpa hpa pdb pvc pv rbac crd crds sa ns po svc cm ds rs sts default kube-system kube-public kube-node-lease
kib mib gib tib kb mb gb tb ki mi gi ti pressure drain cordon bytes byte kubernetes k8s gpu gpus nvidia cpu cpus memory hugepages ephemeral-storage nodename nodeselector amd arm linux windows darwin json yaml xml html css
http https grpc tcp udp sctp tls ssl dns url uri uid gid pid uuid api sdk aws gcp azure gke eks aks ebs efs nfs iscsi ceph rbd s3 gcs iam arn
webhook webhooks mutating validating loadbalancer nodeport clusterip externalname readwriteonce readonlymany readwritemany readwriteoncepod`;

/** Words of format strings that are values of examples, or often somebody's password. */
export const NEVER = new Set([
  'hunter',
  'letmein',
  'qwerty',
  'changeme',
  'passw',
  'swordfish',
  'foobar',
  'xyz',
  'abc',
  'abcdef',
  'admin123',
]);
