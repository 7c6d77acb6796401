// The table of carriers: each row is one exchange or call, with its secrets where they stand. What the words of a row mean says rows.ts.

/** Families begin with `#`; a row goes on in lines that are indented. `‹carrier›` is a secret, `⟪carrier⟫` a map with one as key and as value. */
export const CARRIERS = String.raw`
# keys
thing {"spec":{"auths":{"‹custom map of objects: key›":{"email":"x"}},"tokens":{"Bearer ‹custom map, bearer token: key›":"alice"},
  "urls":{"https://bot:‹custom map, URL: key›@registry.example.com":{"email":"x"}},"assigned":{"PASSWORD=‹custom map, assignment: key›":true},
  "deep":{"‹custom map, deep: key›":{"‹custom map, deeper: key›":[{"a":1}]}},"map":⟪custom map⟫,"empty":{"‹custom map of nulls: key›":null},
  "pem":{"-----BEGIN PRIVATE KEY-----\n‹custom map, PEM: key›\n-----END PRIVATE KEY-----":"x"},
  "jwt":{"eyJhbGciOiJSUzI1NiJ9.‹custom map, JWT: key|base64›.c2lnbmF0dXJl":"x"},
  "template":{"data":⟪data in a template⟫,"env":⟪env as a map⟫}}}
thing {"metadata":{"labels":{"‹labels: key›":"‹labels: value|label›"},"annotations":⟪annotations⟫}}
thing {"metadata":{"annotations":{"example.com/‹annotation behind a prefix: key›":"x"},"labels":{"‹prefix of a label: key›/x":"x"}}}
thing {"metadata":{"managedFields":[{"manager":"kubectl","operation":"Update","fieldsType":"FieldsV1","fieldsV1":{
  "f:data":{"f:‹managedFields, field: key›":{}},"f:spec":{"f:list":{"k:{\"name\":\"‹managedFields, item: key›\"}":{}}},
  "f:set":{"v:\"‹managedFields, value: key›\"":{}}}}]}}
thing {"metadata":{"annotations":{"kubectl.kubernetes.io/last-applied-configuration":{"$json":{"apiVersion":"v1","kind":"Secret",
  "metadata":{"name":"t","namespace":"app"},"stringData":⟪last applied Secret⟫}}}}}
create v1/Secret {"data":{"‹Secret.data: key›":"‹Secret.data: value|base64›"},"stringData":⟪Secret.stringData⟫}
create v1/ConfigMap {"data":⟪ConfigMap.data⟫,"binaryData":{"‹ConfigMap.binaryData: key›":"eA=="}}
POST APP/configmaps proto {"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"t","namespace":"app","annotations":⟪annotations in protobuf⟫},
  "data":⟪ConfigMap.data in protobuf⟫}
POST THINGS cbor {"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"t","namespace":"app"},"spec":{"map":⟪custom map in CBOR⟫}}
PATCH THINGS/t jsonpatch [{"op":"add","path":"/spec/map/‹JSON patch, path of a custom resource: key|pointer›","value":"x"},
  {"op":"remove","path":"/metadata/annotations/‹JSON patch, path of an annotation: key|pointer›"},
  {"op":"move","from":"/spec/map/‹JSON patch, from: key|pointer›","path":"/spec/x"},{"op":"add","path":"/spec/map","value":⟪JSON patch, value⟫}]
PATCH SECRETS/t jsonpatch [{"op":"add","path":"/data/‹JSON patch, path of a Secret: key|pointer›","value":"eA=="}]
PATCH THINGS/t merge {"spec":{"map":⟪merge patch⟫}}
PATCH SECRETS/t merge {"stringData":⟪merge patch, Secret⟫}
PATCH APP/configmaps/t strategic {"data":⟪strategic patch⟫}
PATCH THINGS/t?fieldManager=kubectl apply apiVersion: example.com/v1⏎kind: Thing⏎metadata: {name: t, namespace: app}⏎spec:⏎  map: ⟪YAML apply⟫⏎
create v1/Pod {"spec":{"nodeSelector":{"‹nodeSelector: key›":"‹nodeSelector: value|label›"},"containers":[{"name":"app","image":"nginx",
  "env":[{"name":"‹name of a variable: key›","value":"x"},{"name":"A","valueFrom":{"secretKeyRef":{"name":"db","key":"‹secretKeyRef.key: key›"}}}],
  "livenessProbe":{"httpGet":{"port":80,"httpHeaders":[{"name":"‹header of a probe: key›","value":"‹header of a probe: value›"}]}},
  "resources":{"limits":{"example.com/‹name of a resource: key›":"1"}}}],
  "volumes":[{"name":"v","csi":{"driver":"d","volumeAttributes":⟪attributes of a volume⟫}}]}}
GET /api/v1/pods?‹name of a parameter: key›=x
GET /api/v1/nodes «X-‹name of a request header: key|token›: ‹value of a request header: value›»
  → 200 OK «X-‹name of an answer header: key|token›: ‹value of an answer header: value›»
fail 422 Invalid Thing "t" is invalid ¦ {"causes":[{"reason":"FieldValueInvalid","message":"x","field":"data[‹field of a cause: key›]"},
  {"reason":"FieldValueInvalid","message":"x","field":"spec.map.‹path of a cause: key›"}]}
fail 422 Invalid Secret "t" is invalid: data[‹field in a message: key›]: Invalid value
webhook: POST /mutate json {"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"u","object":{"apiVersion":"v1",
  "kind":"Secret","metadata":{"name":"t","namespace":"app"},"data":{"‹reviewed Secret: key›":"eA=="}}}}
  → 200 OK json {"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","response":{"uid":"u","allowed":true,"patchType":"JSONPatch",
  "patch":{"$base64":[{"op":"add","path":"/data/‹patch of a webhook: key|pointer›","value":"eA=="}]},"auditAnnotations":⟪audit annotations⟫}}
docker: POST /v1.41/containers/create json {"Image":"nginx","Env":["‹docker Env: key›=x"],"Labels":{"‹docker label: key›":"‹docker label: value|label›"},
  "HostConfig":{"LogConfig":{"Type":"json","Config":⟪docker log options⟫}}}
docker: GET /v1.41/containers/x/json → 200 OK json {"Id":"x","Config":{"‹docker, unknown member: key›":"x",
  "Labels":{"‹docker label, inspected: key›":"‹docker label, inspected: value|label›"}}}
registry: GET /v2/app/tags/list → 200 OK json {"name":"app","‹registry, unknown member: key›":["x"]}
gateway: POST /v3/kv/put json ⟪etcd gateway⟫
application: POST /login json ⟪application⟫ → 200 OK json ⟪application, answer⟫
cri: RuntimeService/CreateContainer «x-‹metadata of gRPC: key|token›: ‹metadata of gRPC: value›» {"config":{"envs":[{"key":"‹CRI envs: key›","value":"x"}],
  "labels":{"‹CRI labels: key›":"‹CRI labels: value|label›"},"annotations":⟪CRI annotations⟫}} → {"container_id":"y"}
etcd: KV/Put {"key":"/registry/configmaps/app/t","value":{"$proto":{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"t","namespace":"app"},
  "data":⟪ConfigMap in etcd⟫}}}
etcd: KV/Put {"key":"/registry/example.com/things/app/t","value":{"$json":{"apiVersion":"example.com/v1","kind":"Thing",
  "metadata":{"name":"t","namespace":"app"},"spec":{"map":⟪custom map in etcd⟫}}}}
# numbers
create helm.toolkit.fluxcd.io/v2/HelmRelease {"spec":{"values":{‹HelmRelease, values.*|numbers›}}}
thing {"metadata":{"annotations":{"x":"{\"pin\":‹JSON in an annotation|number›}"}},"spec":{"list":[‹item of a list|number›],"nested":{"a":{"b":‹nested|number›}}},
  "status":{"code":‹status.code|number›,"conditions":[{"type":"Ready","otp":‹condition|number›}]}}
PATCH THINGS/t merge {"spec":{"pw":‹merge patch|number›}}
PATCH THINGS/t jsonpatch [{"op":"add","path":"/spec/pw","value":‹JSON patch|number›}]
PATCH THINGS/t apply apiVersion: example.com/v1⏎kind: Thing⏎metadata: {name: t}⏎spec: {pw: ‹YAML apply|number›}⏎
GET /api/v1/pods?limit=500&pin=‹parameter|number›&code=‹parameter, code|number›
docker: POST /v1.41/containers/create json {"Image":"nginx","HostConfig":{"Pin":‹docker, unknown member|number›}}
webhook: POST /login json {"pin":‹webhook, application|number›}
application: POST /login json {"pin":‹application|number›} → 200 OK json {"otp":‹application, answer|number›}
registry: GET /token → 200 OK json {"token":‹registry, token|number›,"pin":‹registry, member|number›}
# segments
POST /apis/build.openshift.io/v1/namespaces/app/buildconfigs/web/webhooks/‹webhook of a build›/github json {}
POST /apis/build.openshift.io/v1/namespaces/app/buildconfigs/web/webhooks/‹webhook of a build, last› json {}
GET THINGS/t/‹subresource of a custom resource›
GET THINGS/t/status/‹behind a subresource›
GET THINGS/t/‹first of two›/‹second of two›
GET PODS/web/log/‹behind log›
GET PODS/web/‹subresource of a Pod›
GET /apis/example.com/v1/clusterthings/t/keys/‹cluster scope›
GET APP/services/web:80/proxy/‹proxy of a Service›
GET PODS/web/proxy/reset/‹proxy of a Pod›
GET /api/v1/nodes/n/proxy/logs/‹proxy of a node›
POST /hooks/‹unknown path› json {}
POST /api/webhooks/123456789/‹path that begins like the API› json {}
GET /api/v1/keys/‹key of another program›
GET /api/v1/pods;jsessionid=‹parameter of a segment|raw›
GET /api/v1/pods#‹fragment|raw›
GET /apis/metrics.example/v1/x/t/t/‹metrics of an unknown group›
GET /healthz/‹healthz›
GET /openapi/v3/apis/‹openapi›
GET /.well-known/‹well-known›
GET /version «Referer: http://x/hooks/‹Referer|percent›» «X-Original-URI: /hooks/‹X-Original-URI|percent›»
  → 200 OK «Location: /apis/example.com/v1/namespaces/app/things/t/keys/‹Location|percent›»
GET /version «Referer: login;‹relative reference›» → 200 OK «Location: ‹relative Location›»
create admissionregistration.k8s.io/v1/ValidatingWebhookConfiguration {"metadata":{"name":"t"},"webhooks":[
  {"name":"a.example","clientConfig":{"url":"https://h.example/hook/‹URL of a webhook|percent›"}},
  {"name":"b.example","clientConfig":{"service":{"name":"t","namespace":"app","path":"/hook/‹path of a webhook|percent›"}}}]}
create v1/Pod {"spec":{"containers":[{"name":"app","image":"nginx","livenessProbe":{"httpGet":{"port":80,"path":"/live/‹path of a probe|percent›"}}}]}}
thing {"metadata":{"selfLink":"/apis/example.com/v1/namespaces/app/things/t/keys/‹selfLink|percent›"}}
docker: GET /v1.41/containers/x/‹docker, behind a container›
docker: GET /v1.41/plugins/x/keys/‹docker, behind a plugin›
docker: GET /v1.41/‹docker, unknown›
registry: GET /v2/app/blobs/uploads/‹registry, upload›
registry: GET /v2/app/keys/‹registry, unknown›
registry: GET /api/v2.0/robots/x/‹registry, robot›
webhook: POST /mutate/‹webhook› json {}
kubelet: GET /containerLogs/app/web/app/‹kubelet, behind a container›
kubelet: GET /logs/‹kubelet, logs›
kubelet: GET /‹kubelet, unknown›
gateway: POST /v3/kv/put/‹etcd gateway› json {}
application: GET /reset/‹application›
application: GET /v1/secret/data/‹vault›
cri: RuntimeService/‹method of CRI|token›
cri: /‹unknown service|token›/Get
# URLs
GET http://u:‹target|raw›@10.0.0.2:8080/api/v1/namespaces/app/pods/x
GET http://‹user of a target|raw›@10.0.0.2:8080/api/v1/namespaces/app/pods/x
GET //u:‹target without a scheme|raw›@10.0.0.2:8080/api/v1/namespaces/app/pods/x
CONNECT u:‹CONNECT|raw›@h.example:443 → 403 Forbidden
CONNECT ‹host of CONNECT|raw,shown›:443 → 403 Forbidden
GET /version «Host: u:‹Host›@h.example:8080»
GET /version «Host: ‹Host, nothing else|shown›»
GET /version «Host: h.example:‹port of a Host›»
GET /version «Referer: https://u:‹Referer›@h.example/x» «X-Forwarded-Uri: https://u:‹X-Forwarded-Uri›@h.example/x»
  «X-Forwarded-Host: u:‹X-Forwarded-Host›@h.example» «Origin: https://u:‹Origin›@h.example» «Forwarded: host="u:‹Forwarded›@h.example"»
  «User-Agent: tool/1.0 (https://u:‹User-Agent›@h.example/x)»
  → 200 OK «Location: https://u:‹Location›@h.example/x» «Content-Location: https://u:‹Content-Location›@h.example/x»
  «Link: <https://u:‹Link›@h.example/x>; rel="next"» «Warning: 299 - "cannot reach https://u:‹Warning›@h.example/x"»
  «Via: 1.1 u:‹Via›@h.example» «WWW-Authenticate: Bearer realm="https://u:‹realm›@h.example/x",service="registry.example"»
GET /version «X-Forwarded-Uri: /x?password=‹parameter of X-Forwarded-Uri›»
  → 200 OK «Location: https://h.example/callback?next=https%3A%2F%2Fu%3A‹parameter of a Location|percent›%40h.example%2Fx»
GET /api/v1/pods?redirect=https%3A%2F%2Fu%3A‹parameter›%40h.example%2Fx
GET /api/v1/pods?redirect=https%3A%2F%2Fx%2F%3Ftoken%3D‹encoded parameter›&token=‹token=›&access_token=‹access_token=›&%74oken=‹encoded name of a query›
POST PODS/p/exec?command=curl&command=https%3A%2F%2Fu%3A‹command›%40h.example%2Fx&command=Authorization%3A%20Bearer%20‹encoded bearer token›
POST PODS/p/exec?command=‹program›
PATCH THINGS/t merge {"spec":{"url":"https://u:‹merge patch›@h.example/x"}}
create admissionregistration.k8s.io/v1/ValidatingWebhookConfiguration {"metadata":{"name":"t"},"webhooks":[
  {"name":"a.example","clientConfig":{"url":"https://u:‹clientConfig.url›@h.example/x"}}]}
thing {"metadata":{"selfLink":"https://u:‹selfLink›@h.example/x","annotations":{"origin":"https://u:‹annotation›@h.example/x",
  "at":"https://me@corp.example:‹annotation, user with @›@h.example/","quote":"https://me:p'‹annotation, password with a quote›@h.example/"}},
  "spec":{"repoURL":"https://u:‹custom resource›@h.example/x","list":["https://u:‹list of a custom resource›@h.example/x"]},"status":{"conditions":[{"type":"Ready","message":"get https://u:‹condition›@h.example/x: refused"}]}}
create argoproj.io/v1alpha1/Application {"spec":{"source":{"repoURL":"https://u:‹repoURL of Argo CD›@h.example/x","path":"x"}}}
create source.toolkit.fluxcd.io/v1/GitRepository {"spec":{"url":"https://u:‹url of Flux›@h.example/x"}}
create v1/Pod {"spec":{"containers":[{"name":"app","image":"u:‹image›@h.example/app:1","args":["--db","https://u:‹argument›@h.example/x"],
  "env":[{"name":"DB","value":"https://u:‹variable›@h.example/x"}]}]}}
event Failed to pull image: Get "https://u:‹Event›@h.example/x": EOF
event dial https://u:‹Event without quotes›@h.example/x
fail 500 InternalError Internal error occurred: Post "https://u:‹failure›@h.example/x": EOF
fail 400 BadRequest cannot parse https://u:‹failure without quotes›@h.example/x
docker: POST /v1.41/build?remote=https%3A%2F%2Fu%3A‹docker build›%40h.example%2Fx
docker: POST /v1.41/images/create?fromImage=u%3A‹docker pull›%40h.example%2Fapp
docker: POST /v1.41/containers/create json {"Image":"https://u:‹docker image›@h.example/x"}
docker: GET /v1.41/info → 200 OK json {"HttpProxy":"https://u:‹docker proxy›@h.example/x",
  "RegistryConfig":{"Mirrors":["https://u:‹docker mirror›@h.example/x"]}}
registry: GET /v2/ → 401 Unauthorized «WWW-Authenticate: Bearer realm="https://u:‹realm of a registry›@h.example/x"»
registry: POST /v2/app/blobs/uploads/?from=https%3A%2F%2Fu%3A‹from of a mount›%40h.example%2Fx
  → 200 OK «Location: https://u:‹Location of an upload›@h.example/x»
application: GET /go?to=https%3A%2F%2Fu%3A‹application›%40h.example%2Fx → 200 OK json {"url":"https://u:‹application, answer›@h.example/x"}
cri: ImageService/PullImage {"image":{"image":"u:‹image of CRI›@h.example/app:1"},"auth":{"server_address":"https://u:‹server of CRI›@h.example"}}
# selectors
GET THINGS?labelSelector=api-key%3D‹label, =|label›
GET THINGS?labelSelector=api-key%3D%3D‹label, ==|label›
GET THINGS?labelSelector=api-key!%3D‹label, !=|label›
GET THINGS?labelSelector=api-key%20in%20(a%2C‹label, in|label›)
GET THINGS?labelSelector=api-key%20notin%20(‹label, notin|label›)
GET THINGS?labelSelector=app%3Dweb%2Ctoken%3D‹label, second|label›
GET THINGS?labelSelector=‹label alone|label›
GET THINGS?labelSelector=!‹label that is not|label›
GET THINGS?labelSelector=x%20%3E%20‹label, greater|label›
GET THINGS?fieldSelector=spec.token%3D‹field, =|label›
GET THINGS?fieldSelector=metadata.namespace!%3Da%2Cspec.password!%3D‹field, !=|label›
GET PODS?fieldSelector=spec.key%3D‹field of Pods|label›&watch=true
DELETE THINGS?labelSelector=token%3D‹label of a deletion|label›
create apps/v1/Deployment {"spec":{"selector":{"matchLabels":{"api-key":"‹matchLabels|label›"},
  "matchExpressions":[{"key":"api-key","operator":"In","values":["‹matchExpressions|label›"]}]},
  "template":{"metadata":{"labels":{"api-key":"‹labels of a template|label›"}},"spec":{}}}}
create v1/Service {"spec":{"selector":{"token":"‹Service|label›"}}}
create v1/Pod {"spec":{"containers":[{"name":"app","image":"nginx"}],"nodeSelector":{"token":"‹nodeSelector|label›"},
  "tolerations":[{"key":"t","value":"‹toleration|label›"}]}}
thing {"spec":{"selector":{"matchLabels":{"token":"‹custom resource|label›"}}},
  "status":{"selector":"token=‹selector of a scale|label›","labelSelector":"a=‹labelSelector|label›"}}
docker: GET /v1.41/containers/json?filters=%7B%22label%22%3A%5B%22api-key%3D‹docker filters|label›%22%5D%7D
cri: RuntimeService/ListContainers {"filter":{"label_selector":{"token":"‹label_selector of CRI|label›"}}}
# etcd keys
gateway: POST /v3/kv/put json {"key":{"$base64":"/sessions/‹gateway›"},"value":"eA=="} → 200 OK json {"header":{}}
gateway: POST /v3/kv/put json {"key":"‹gateway, alone|base64›","value":"eA=="} → 200 OK json {"header":{}}
etcd: KV/Put {"key":"/sessions/‹session›","value":"x"}
etcd: KV/Put {"key":"/vault/sys/token/id/‹Vault›","value":"x"}
etcd: KV/Put {"key":"‹alone›","value":"x"}
etcd: KV/Put {"key":"/‹alone behind a slash›","value":"x"}
etcd: KV/Put {"key":"sessions/‹without a slash›","value":"x"}
etcd: KV/Put {"key":"/registry2/‹beside the registry›","value":"x"}
etcd: KV/Put {"key":"/registry/x/app/t/‹behind an object›","value":"x"}
etcd: KV/Put {"key":"/calico/resources/v3/‹Calico›/x","value":"x"}
etcd: KV/Put {"key":"session:‹behind a colon›","value":"x"}
etcd: KV/Range {"key":"/sessions/‹range›","range_end":"/sessions/‹range_end›"} → {"kvs":[{"key":"/sessions/‹found›","value":"x"}]}
etcd: KV/DeleteRange {"key":"/sessions/‹deleted›"}
etcd: KV/Txn {"compare":[{"key":"/sessions/‹compared›"}],"success":[{"request_put":{"key":"/sessions/‹put in a Txn›","value":"x"}}]}
etcd: Watch/Watch {"create_request":{"key":"/sessions/‹watched›"}} → {"events":[{"kv":{"key":"/sessions/‹seen by a watch›","value":"x"}}]}
# texts
event exec: DB_PASSWORD=‹Event› not accepted
event {"password":"‹JSON in an Event›"}
event --token=‹option in an Event› --password ‹second option in an Event›
event Authorization: Basic ‹basic authorization in an Event|base64›
event said Bearer ‹bearer token in an Event›
fail 400 BadRequest cannot run API_TOKEN=‹failure›
fail 403 Forbidden admission webhook "w" denied the request: PGPASSWORD='‹denial›' is weak
fail 403 Forbidden secrets "t" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'b' denied request: ‹words of a policy›
fail 500 InternalError Internal error occurred: parsing "‹internal error›": invalid syntax
fail 500 InternalError Internal error occurred: failed calling webhook "w": ("‹webhook that failed›")
fail 422 Invalid spec: Invalid value: "‹validation error›" ¦ {"causes":[{"message":"Invalid value: \"‹cause of a validation error›\""}]}
POST SECRETS json {"kind":"Secret","apiVersion":"v1"} → 403 Forbidden json {"kind":"Status","apiVersion":"v1","status":"Failure","code":403,
  "reason":"Forbidden","message":"admission webhook \"w.example\" denied the request: \"‹denial of a Secret›\" is too weak"}
POST SECRETS raw {"kind":"Secret","data":{"a":"‹broken JSON|lost›" → 400 Bad Request json {"kind":"Status","apiVersion":"v1","status":"Failure",
  "reason":"BadRequest","code":400,"message":"bigger context ...|‹error of the decoder›|..."}
thing {"status":{"conditions":[{"type":"Ready","message":"SECRET_KEY=‹condition›"}]}}
GET /version → 200 OK «Warning: 299 - "export AWS_SECRET_ACCESS_KEY=‹Warning›"» text token eyJhbGciOiJub25lIn0.‹JWT in a text|token›.‹JWT in a text, end|token›
GET /version «User-Agent: Bearer ‹User-Agent› tool/1.0»
GET /version «User-Agent: ‹product of a User-Agent›/v1.0.0»
GET /version «User-Agent: tool/1 eyJhbGciOiJub25lIn0.‹JWT in a User-Agent|token›.c2ln»
POST PODS/t/status json {"apiVersion":"v1","kind":"Pod","metadata":{"name":"t","namespace":"app"},"status":{"containerStatuses":[
  {"name":"a","state":{"terminated":{"exitCode":1,"message":"DB_PASSWORD=‹terminated›"}}}]}}
# header values
GET /version «Via: ‹Via of a request›» «Server: ‹Server of a request›» «Kubectl-Command: ‹Kubectl-Command of a request›» «Accept: ‹Accept of a request›»
  «Cache-Control: ‹Cache-Control of a request›» «If-Match: ‹If-Match›» «Accept-Language: ‹Accept-Language›» «From: ‹From›»
  «X-Api-Version: ‹X-Api-Version›» «Expect: ‹Expect›» «TE: ‹TE›» «Range: ‹Range›»
  → 200 OK «Via: ‹Via of an answer›» «Server: ‹Server of an answer›» «Kubectl-Command: ‹Kubectl-Command of an answer›»
  «Accept: ‹Accept of an answer›» «Cache-Control: ‹Cache-Control of an answer›» «Etag: ‹Etag›» «Content-Disposition: ‹Content-Disposition›»
  «X-Amz-Request-Id: ‹X-Amz-Request-Id›»
GET /version «Upgrade: ‹Upgrade of a request›» → 200 OK «Upgrade: ‹Upgrade of an answer›»
GET /version «Connection: ‹Connection of a request›» → 200 OK «Connection: ‹Connection of an answer›»
GET /version «Authorization: Bearer ‹Authorization›» «Proxy-Authorization: Bearer ‹Proxy-Authorization›» «Cookie: ‹Cookie›»
  «X-Remote-User: ‹X-Remote-User|shown›» «X-Remote-Group: ‹X-Remote-Group›» «X-Remote-Extra-Scopes: ‹X-Remote-Extra-Scopes›» «X-Auth-Token: ‹X-Auth-Token›»
  «Sec-WebSocket-Protocol: base64url.bearer.authorization.k8s.io.‹Sec-WebSocket-Protocol›, v5.channel.k8s.io»
  → 200 OK «Set-Cookie: ‹Set-Cookie›» «Location: /somewhere?token=‹parameter of a Location›»
registry: GET /v2/app/blobs/uploads/ → 200 OK «Docker-Upload-UUID: ‹Docker-Upload-UUID›» «Docker-Content-Digest: ‹Docker-Content-Digest›»
  «Docker-Distribution-Api-Version: ‹Docker-Distribution-Api-Version›» «Location: /v2/app/blobs/uploads/x?_state=‹_state of an upload|percent›»
docker: POST /v1.41/images/create?fromImage=nginx «X-Registry-Auth: ‹X-Registry-Auth|base64›»
# values of labels
thing {"metadata":{"labels":{"app.kubernetes.io/version":"‹app.kubernetes.io/version|shown›","app.kubernetes.io/instance":"‹app.kubernetes.io/instance|shown›",
  "app.kubernetes.io/x":"‹app.kubernetes.io/x|label›","x.kubernetes.io/y":"‹x.kubernetes.io/y|label›","node.kubernetes.io/token":"‹node.kubernetes.io/token|label›",
  "kubernetes.io/token":"‹kubernetes.io/token|label›","helm.sh/chart":"‹helm.sh/chart|shown›","batch.kubernetes.io/x":"‹batch.kubernetes.io/x|label›",
  "example.com/x":"‹example.com/x|label›","token":"‹token|label›","app":"‹app|shown›","pod-template-hash":"‹pod-template-hash|shown›",
  "beta.kubernetes.io/secret":"‹beta.kubernetes.io/secret|label›","x.k8s.io/y":"‹x.k8s.io/y|label›"},
  "annotations":{"app.kubernetes.io/token":"‹annotation›"}}}
create v1/Pod {"spec":{"containers":[{"name":"app","image":"nginx"}],"nodeSelector":{"node.kubernetes.io/x":"‹nodeSelector|label›"}}}
GET THINGS?labelSelector=app.kubernetes.io%2Ftoken%3D‹selector|label›
docker: POST /v1.41/containers/create json {"Image":"nginx","Labels":{"io.kubernetes.token":"‹docker label|label›"}}
cri: RuntimeService/CreateContainer {"config":{"labels":{"app.kubernetes.io/token":"‹label of CRI|label›"}}}
# challenges
registry: GET /v2/ → 401 Unauthorized «WWW-Authenticate: Bearer realm="https://auth.example/token",service="‹service=›"»
registry: GET /v2/ → 401 Unauthorized «WWW-Authenticate: Bearer realm="https://auth.example/token",scope="‹scope=›"»
registry: GET /v2/ → 401 Unauthorized «WWW-Authenticate: Bearer realm="https://auth.example/token",error="‹error=›",error_description="‹error_description=›"»
registry: GET /v2/ → 401 Unauthorized «WWW-Authenticate: Digest realm="x",algorithm="‹algorithm=›",qop="‹qop=›",charset="‹charset=›",nonce="‹nonce=›",opaque="‹opaque=›"»
registry: GET /v2/ → 401 Unauthorized «WWW-Authenticate: Basic realm="‹realm›"»
registry: GET /v2/ → 401 Unauthorized «WWW-Authenticate: Bearer scope="repository:‹repository of a scope|shown›:pull"»
GET /version → 200 OK «WWW-Authenticate: Bearer realm="x",error="‹error of the API server›"»
# objects
POST SECRETS json {"apiVersion":"v1","kind":"Secret","metadata":{"name":"s1","namespace":"app","unheard":{"of":"‹unknown member›"}},
  "data":{"password":"‹created, data|base64›"},"stringData":{"plain":"‹created, stringData›"}}
POST SECRETS proto {"apiVersion":"v1","kind":"Secret","metadata":{"name":"s1","namespace":"app"},
  "data":{"password":"‹protobuf, data›"},"stringData":{"plain":"‹protobuf, stringData›"}}
POST SECRETS cbor {"apiVersion":"v1","kind":"Secret","metadata":{"name":"s1","namespace":"app"},
  "data":{"password":"‹CBOR, data|base64›"},"stringData":{"plain":"‹CBOR, stringData›"}}
PATCH SECRETS/s1?fieldManager=kubectl&force=true apply apiVersion: v1⏎kind: Secret⏎metadata:⏎  name: s1⏎stringData:⏎  plain: "‹YAML apply of a Secret›"⏎
POST PODS yaml kind: Pod⏎apiVersion: v1⏎metadata: {name: p}⏎spec:⏎  containers:⏎  - name: a⏎    env:⏎    - {name: A, value: "‹YAML, env›"}⏎
PATCH SECRETS/s1 strategic {"data":{"a":"‹strategic patch|base64›"}}
PATCH SECRETS/s1 jsonpatch [{"op":"replace","path":"/data/password","value":"‹JSON patch of data|base64›"},
  {"op":"add","path":"","value":{"stringData":{"a":"‹JSON patch of all›"}}}]
GET SECRETS → 200 OK json {"kind":"SecretList","apiVersion":"v1","metadata":{},"items":[{"metadata":{"name":"s1","namespace":"app"},"data":{"a":"‹list|base64›"}}]}
GET SECRETS → 200 OK gzip {"kind":"SecretList","apiVersion":"v1","metadata":{},"items":[{"metadata":{"name":"s1"},"stringData":{"a":"‹gzipped list›"}}]}
GET THINGS → 200 OK json {"kind":"List","apiVersion":"v1","items":[{"kind":"Secret","apiVersion":"v1","metadata":{"name":"s1"},"stringData":{"a":"‹kubectl list›"}}]}
GET SECRETS?includeObject=Object → 200 OK json {"kind":"Table","apiVersion":"meta.k8s.io/v1","rows":[{"cells":["s1","Opaque",1],"object":
  {"kind":"Secret","apiVersion":"v1","metadata":{"name":"s1"},"data":{"a":"‹Table|base64›"}}}]}
GET SECRETS?watch=true → 200 OK json {"type":"ADDED","object":{"kind":"Secret","apiVersion":"v1","metadata":{"name":"s1"},"data":{"a":"‹watch|base64›"}}}
GET SECRETS?watch=1 → 200 OK watch {"apiVersion":"v1","kind":"Secret","metadata":{"name":"s1","namespace":"app"},"data":{"a":"‹watch in protobuf›"}}
PUT APP/configmaps/c json {"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c","namespace":"app"},"data":{"a":"‹ConfigMap.data›"},
  "binaryData":{"b":"‹ConfigMap.binaryData|base64›"}} → 200 OK «Warning: 299 - "the value ‹Warning of a write› is weak"»
POST APP/serviceaccounts/default/token json {"kind":"TokenRequest","apiVersion":"authentication.k8s.io/v1","spec":{}}
  → 200 OK json {"kind":"TokenRequest","apiVersion":"authentication.k8s.io/v1","status":{"token":"‹TokenRequest›"}}
POST APP/serviceaccounts/default/token json {} → 200 OK proto {"kind":"TokenRequest","apiVersion":"authentication.k8s.io/v1",
  "status":{"token":"‹TokenRequest in protobuf›"}}
POST /apis/authentication.k8s.io/v1/tokenreviews json {"kind":"TokenReview","apiVersion":"authentication.k8s.io/v1","spec":{"token":"‹TokenReview›"}}
POST PODS json {"apiVersion":"v1","kind":"Pod","metadata":{"name":"t","namespace":"app"},"spec":{"containers":[{"name":"a","env":[{"name":"A","value":"‹env›"}]}]}}
POST PODS proto {"apiVersion":"v1","kind":"Pod","metadata":{"name":"t","namespace":"app"},"spec":{"containers":[{"name":"a",
  "env":[{"name":"A","value":"‹env in protobuf›"}]}]}}
PUT /apis/apps/v1/namespaces/app/deployments/t json {"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"t","namespace":"app","annotations":{
  "kubectl.kubernetes.io/last-applied-configuration":{"$json":{"kind":"Deployment","spec":{"template":{"spec":{"containers":[
  {"name":"a","env":[{"name":"A","value":"‹last applied Deployment, env›"}]}]}}}}}}},
  "spec":{"template":{"spec":{"containers":[{"name":"a","env":[{"name":"A","value":"‹Deployment, env›"}]}]}}}}
PATCH /apis/apps/v1/namespaces/app/deployments/t strategic {"spec":{"template":{"spec":{"containers":[{"name":"a",
  "env":[{"name":"A","value":"‹strategic patch of env›"}]}]}}}}
PATCH /apis/apps/v1/namespaces/app/deployments/t jsonpatch [
  {"op":"replace","path":"/spec/template/spec/containers/0/env/0/value","value":"‹JSON patch of the value of a variable›"},
  {"op":"add","path":"/spec/template/spec/containers/0/env/-","value":{"name":"B","value":"‹JSON patch of env›"}}]
GET /apis/apps/v1/namespaces/app/controllerrevisions/r → 200 OK json {"kind":"ControllerRevision","apiVersion":"apps/v1","metadata":{"name":"r"},
  "data":{"spec":{"template":{"spec":{"containers":[{"name":"a","env":[{"name":"A","value":"‹ControllerRevision, env›"}]}]}}}}}
POST SECRETS octets ‹unknown type|lost›
GET PODS/p/log → 200 OK text ‹log|lost›
GET PODS/p/log?follow=true → 200 OK json {"message":"‹log in JSON|lost›"}
POST APP/services/web:80/proxy/login json {"user":"a","pin":"‹proxied application›"}
thing {"metadata":{"annotations":{"manifest":"apiVersion: v1\nkind: Secret\nstringData:\n  a: ‹manifest in an annotation›\n"}},
  "spec":{"password":"‹password›","accessToken":"‹accessToken›","env":{"A":"‹value in env as a map›"},"envs":[{"key":"A","value":"‹value in envs›"}],
  "template":{"type":"Opaque","data":{"p":"‹template without a kind›"}},"provider":{"fake":{"data":[{"key":"a","value":"‹fake provider›"}]}},
  "rules":[{"name":"r","mutate":{"patchStrategicMerge":{"stringData":{"p":"‹merge of a policy›"}},
  "patchesJson6902":"- op: add\n  path: \"/stringData/p\"\n  value: ‹patch of a policy in YAML›\n"},
  "generate":{"apiVersion":"v1","kind":"Secret","name":"s","data":{"p":"‹what a policy makes›"}}}]}}
POST SECRETS json {"apiVersion":"v1","kind":"Secret","metadata":{"name":"s1","namespace":"app"},"extra":{"a":["‹unexpected member›",5]},
  "Data":{"a":"‹data in capitals›"},"DATA":"‹DATA›"}
GET APP/configmaps → 200 OK json {"kind":"ConfigMapList","items":[{"metadata":{"name":"c","namespace":"app"},"data":{"a":"‹list of ConfigMaps›"}}]}
POST PODS json {"kind":"Pod","apiVersion":"v1","metadata":{"name":"p","annotations":{"kubectl.kubernetes.io/last-applied-configuration":
  "{\"kind\":\"Secret\",\"data\":{\"a\":\"‹last applied Secret, cut›"}},"spec":{"env":"A=‹variable as a text›"}}
PATCH SECRETS/s1 jsonpatch [{"op":"copy","path":"/data/a","from":{"data":"‹pointer that is none›"}}]
GET SECRETS → 200 OK json {"kind":"Table","apiVersion":"meta.k8s.io/v1","rows":[{"cells":["s",1],"object":{"data":{"k":"‹Table without kinds›"}}}]}
create apiextensions.k8s.io/v1/CustomResourceDefinition {"spec":{"versions":[{"schema":{"openAPIV3Schema":{"properties":{"a":{"default":
  {"b":"‹default of a schema›"}}}}}}]}}
POST PODS json {"kind":"Pod","apiVersion":"v1","metadata":{"name":"p","namespace":"app"},"spec":{"newField":"‹field that is not known›","containers":[
  {"name":"a","lifecycle":{"postStart":{"exec":{"command":["run","‹postStart›"]}}}}]},"status":{"reason":"two words ‹reason of two words›"}}
thing {"spec":{"rules":[{"name":"r","mutate":{"patchesJson6902":"[{\"op\":\"add\",\"path\":\"/data/p\",\"value\":\"‹patch of a policy›\"}]"}}]}}
late: GET / → 200 OK json {"user":"a","pin":"‹answer to what was not captured›"}
webhook: POST /mutate json {"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"u","object":{"apiVersion":"v1","kind":"Secret",
  "metadata":{"name":"s1"},"data":{"a":"‹reviewed›"}},"oldObject":{"apiVersion":"v1","kind":"Secret","metadata":{"name":"s1"},"data":{"a":"‹reviewed, old›"}}}}
  → 200 OK json {"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","response":{"uid":"u","allowed":false,"patchType":"JSONPatch",
  "patch":{"$base64":[{"op":"add","path":"/data/extra","value":"‹patch of a webhook›"},
  {"op":"add","path":"/spec/containers/0/env","value":[{"name":"A","value":"‹patch of a webhook, env›"}]}]},
  "status":{"code":403,"reason":"Forbidden","message":"\"‹verdict›\" is too weak"},"warnings":["\"‹warning›\""],"auditAnnotations":{"why":"‹audit annotation›"}}}
webhook: POST /audit json {"kind":"EventList","apiVersion":"audit.k8s.io/v1","items":[{"objectRef":{"resource":"secrets","name":"s1"},
  "requestObject":{"data":{"a":"‹audit, patch|base64›"}},"responseStatus":{"code":422,"reason":"Invalid","message":"‹audit, status›"}}]}
webhook: POST /convert json {"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","request":{"uid":"u","desiredAPIVersion":"a.example/v2",
  "objects":[{"apiVersion":"a.example/v1","kind":"Database","metadata":{"name":"d"},"spec":{"password":"‹conversion›","env":[{"name":"A","value":"‹conversion, env›"}]}}]}}
  → 200 OK json {"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","response":{"uid":"u","result":{"status":"Success"},
  "convertedObjects":[{"apiVersion":"a.example/v2","kind":"Database","metadata":{"name":"d"},"spec":{"password":"‹converted›"}}]}}
webhook: POST /login json {"pin":"‹application›"} → 200 OK json {"pin":"‹answer of an application›"}
# servers
docker: POST /v1.41/auth json {"username":"me","password":"‹docker login›"} → 200 OK json {"IdentityToken":"‹docker identity token›"}
docker: POST /v1.41/containers/create json {"Image":"nginx","Entrypoint":["/app"],"Cmd":["‹Cmd beside Entrypoint›"],
  "Env":["PASSWORD=‹docker Env›","‹Env alone›"]}
docker: GET /v1.41/containers/x/json → 200 OK json {"Id":"x","Config":{"Env":["PASSWORD=‹docker inspect›"]}}
docker: POST /v1.41/build?buildargs=%7B%22A%22%3A%22‹buildargs›%22%7D
docker: GET /v1.41/swarm → 200 OK json {"JoinTokens":{"Worker":"‹swarm›"},"UnlockKey":"‹swarm, key›"}
docker: POST /v1.41/secrets/create json {"Name":"s","Data":"‹docker secret|base64›"}
registry: GET /v2/app/blobs/sha256:0 → 200 OK json {"architecture":"amd64","history":[{"created_by":"ENV PASSWORD=‹ENV of an image›"},
  {"created_by":"RUN |1 TOKEN=‹ARG of an image› /bin/sh -c make # buildkit"},{"created_by":"|2 A=b ‹ARG with a blank› TOKEN=‹second ARG› /bin/sh -c make"}]}
registry: GET /token?service=x → 200 OK json {"token":"‹token of a registry›"}
registry: POST /api/v2.0/robots → 200 OK json {"name":"r","secret":"‹robot of a registry›"}
gateway: POST /v3/kv/put json {"key":{"$base64":"/registry/secrets/app/s1"},"value":"‹etcd gateway, put|base64›"} → 200 OK json {"header":{}}
gateway: POST /v3/kv/range json {"key":{"$base64":"/registry/secrets/app/s1"}}
  → 200 OK json {"kvs":[{"key":{"$base64":"/registry/secrets/app/s1"},"value":"‹etcd gateway, range|base64›"}]}
cri: RuntimeService/CreateContainer «authorization: Bearer ‹metadata: authorization›» {"pod_sandbox_id":"x","config":{"envs":[{"key":"A","value":"‹CRI envs›"}]}}
cri: RuntimeService/ContainerStatus {"container_id":"y"} → {"info":{"info":{"$json":{"runtimeSpec":{"process":{"env":["A=‹CRI info›"]}}}}}}
cri: RuntimeService/ExecSync {"container_id":"y","cmd":["env"]} → {"stdout":"‹CRI ExecSync|lost›"}
cri: ImageService/PullImage {"image":{"image":"nginx"},"auth":{"username":"me","password":"‹CRI password›","auth":"‹CRI auth›",
  "identity_token":"‹CRI identity_token›","registry_token":"‹CRI registry_token›"}}
cri: /runtime.v1.Unheard/Of text ‹unknown RPC|lost›
etcd: KV/Put {"key":"/registry/secrets/app/s1","value":{"$proto":{"apiVersion":"v1","kind":"Secret","metadata":{"name":"s1"},"data":{"a":"‹etcd Put›"}}}}
etcd: KV/Txn {"success":[{"request_put":{"key":"/registry/secrets/app/s1","value":{"$json":{"data":{"a":"‹etcd JSON without kind›"}}}}}]}
etcd: KV/Range {"key":"/registry/secrets/app/s1"} → {"kvs":[{"key":"other","value":"‹another application in etcd|lost›"},
  {"key":"/registry/secrets/app/s1","value":{"$proto":{"apiVersion":"v1","kind":"Secret","metadata":{"name":"s1"},"data":{"a":"‹etcd Range›"}}}}]}
etcd: Watch/Watch {"create_request":{"key":"/registry/secrets/app/s1"}} → {"events":[{
  "kv":{"key":"/registry/secrets/app/s1","value":{"$proto":{"apiVersion":"v1","kind":"Secret","metadata":{"name":"s1"},"data":{"a":"‹etcd watch›"}}}},
  "prev_kv":{"key":"/registry/secrets/app/s1","value":{"$proto":{"apiVersion":"v1","kind":"Secret","metadata":{"name":"s1"},"data":{"a":"‹etcd watch, before›"}}}}}]}
etcd: Auth/Authenticate {"name":"root","password":"‹etcd password›"} → {"token":"‹etcd token›"}
`;
