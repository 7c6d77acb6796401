// The same objects and watch events as protobuf, JSON, YAML and CBOR: fixtures/objects/encodings.jsonl.
//
//	go get k8s.io/client-go@v0.34.4 && go mod tidy && go run encodings.go
package main

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"os"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/cbor"
	jsonser "k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/client-go/kubernetes/scheme"
)

func main() {
	s := scheme.Scheme
	metav1.AddMetaToScheme(s)
	ps := protobuf.NewSerializer(s, s)
	raw := protobuf.NewRawSerializer(s, s)
	js := jsonser.NewSerializerWithOptions(jsonser.DefaultMetaFactory, s, s, jsonser.SerializerOptions{})
	ys := jsonser.NewSerializerWithOptions(jsonser.DefaultMetaFactory, s, s, jsonser.SerializerOptions{Yaml: true})
	cs := cbor.NewSerializer(s, s)
	yes := true
	when := metav1.NewTime(time.Unix(1700000000, 0).UTC())
	holder := "node-1"
	tm := func(v, k string) metav1.TypeMeta { return metav1.TypeMeta{APIVersion: v, Kind: k} }
	pod := corev1.Pod{TypeMeta: tm("v1", "Pod"), ObjectMeta: metav1.ObjectMeta{Name: "web-1-x", GenerateName: "web-1-", Namespace: "shop", UID: "u-1", ResourceVersion: "712", Generation: 3, CreationTimestamp: when,
		Labels: map[string]string{"app": "web"}, Annotations: map[string]string{"note": "a \"quoted\" {brace"},
		OwnerReferences: []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "ReplicaSet", Name: "web-1", UID: "u-0", Controller: &yes}}},
		Spec: corev1.PodSpec{NodeName: "node-1", Containers: []corev1.Container{{Name: "c", Image: "nginx"}}}, Status: corev1.PodStatus{Phase: "Running", PodIP: "198.18.0.5"}}
	going := pod
	seconds := int64(30)
	going.DeletionTimestamp, going.DeletionGracePeriodSeconds, going.Finalizers = &when, &seconds, []string{"example.com/wait"}
	status := metav1.Status{TypeMeta: tm("v1", "Status"), Status: "Failure", Message: "too old resource version: 1 (2)", Reason: "Expired", Code: 410, Details: &metav1.StatusDetails{Name: "nginx", Kind: "pods"}}
	mark := corev1.Pod{TypeMeta: tm("v1", "Pod"), ObjectMeta: metav1.ObjectMeta{ResourceVersion: "900", Annotations: map[string]string{"k8s.io/initial-events-end": "true"}}}
	plain := corev1.Pod{TypeMeta: tm("v1", "Pod"), ObjectMeta: metav1.ObjectMeta{ResourceVersion: "901"}}
	event := corev1.Event{TypeMeta: tm("v1", "Event"), ObjectMeta: metav1.ObjectMeta{Name: "nginx.1", Namespace: "default", UID: "u-9", ResourceVersion: "5"}, InvolvedObject: corev1.ObjectReference{Kind: "Pod", Namespace: "default", Name: "nginx", UID: "u-8", APIVersion: "v1"}, Reason: "Scheduled", Message: "Successfully assigned", Type: "Normal", Source: corev1.EventSource{Component: "default-scheduler"}, FirstTimestamp: when}
	event2 := event
	event2.ReportingController = "kubelet"
	named := map[string]runtime.Object{
		"pod": &pod, "going": &going, "status": &status, "event": &event, "event-reporting": &event2,
		"namespace":    &corev1.Namespace{TypeMeta: tm("v1", "Namespace"), ObjectMeta: metav1.ObjectMeta{Name: "shop", UID: "u-2", ResourceVersion: "3"}},
		"pod-list":     &corev1.PodList{TypeMeta: tm("v1", "PodList"), ListMeta: metav1.ListMeta{ResourceVersion: "1000"}, Items: []corev1.Pod{bare(pod), bare(mark), bare(plain)}},
		"empty-list":   &corev1.PodList{TypeMeta: tm("v1", "PodList"), ListMeta: metav1.ListMeta{ResourceVersion: "1001"}, Items: []corev1.Pod{}},
		"create":       &corev1.Pod{TypeMeta: tm("v1", "Pod"), ObjectMeta: metav1.ObjectMeta{GenerateName: "web-"}},
		"binding":      &corev1.Binding{TypeMeta: tm("v1", "Binding"), ObjectMeta: metav1.ObjectMeta{Name: "nginx", Namespace: "default"}, Target: corev1.ObjectReference{Kind: "Node", Name: "node-2"}},
		"lease":        &coordinationv1.Lease{TypeMeta: tm("coordination.k8s.io/v1", "Lease"), ObjectMeta: metav1.ObjectMeta{Name: "node-1", Namespace: "kube-node-lease"}, Spec: coordinationv1.LeaseSpec{HolderIdentity: &holder}},
		"new-event":    &eventsv1.Event{TypeMeta: tm("events.k8s.io/v1", "Event"), ObjectMeta: metav1.ObjectMeta{Name: "nginx.2", Namespace: "default"}, Regarding: corev1.ObjectReference{Kind: "Pod", Namespace: "default", Name: "nginx", UID: "u-8"}, Reason: "Pulled", Note: "image pulled", Type: "Normal", ReportingController: "kubelet"},
		"partial":      &metav1.PartialObjectMetadata{TypeMeta: tm("meta.k8s.io/v1", "PartialObjectMetadata"), ObjectMeta: pod.ObjectMeta},
		"partial-list": &metav1.PartialObjectMetadataList{TypeMeta: tm("meta.k8s.io/v1", "PartialObjectMetadataList"), ListMeta: metav1.ListMeta{ResourceVersion: "7"}, Items: []metav1.PartialObjectMetadata{{}, {}}},
		"table":        &metav1.Table{TypeMeta: tm("meta.k8s.io/v1", "Table"), ListMeta: metav1.ListMeta{ResourceVersion: "8"}, ColumnDefinitions: []metav1.TableColumnDefinition{{Name: "Name", Type: "string"}}, Rows: []metav1.TableRow{{Cells: []any{"a"}}, {Cells: []any{"b"}}}},
		"options":      &metav1.DeleteOptions{TypeMeta: tm("v1", "DeleteOptions"), DryRun: []string{"All"}},
		"groups":       &metav1.APIGroupList{TypeMeta: tm("v1", "APIGroupList"), Groups: []metav1.APIGroup{{Name: "apps"}, {Name: "batch"}}},
		"resources":    &metav1.APIResourceList{TypeMeta: tm("v1", "APIResourceList"), GroupVersion: "apps/v1", APIResources: []metav1.APIResource{{Name: "deployments", Kind: "Deployment"}}},
	}
	order := []string{"pod", "going", "namespace", "create", "pod-list", "empty-list", "status", "event", "event-reporting", "new-event", "binding", "lease", "partial", "partial-list", "table", "options", "groups", "resources"}
	out := json.NewEncoder(os.Stdout)
	out.SetEscapeHTML(false)
	enc := func(e runtime.Encoder, o runtime.Object) string {
		var b bytes.Buffer
		if err := e.Encode(o, &b); err != nil {
			return ""
		}
		return base64.StdEncoding.EncodeToString(b.Bytes())
	}
	for _, name := range order {
		o := named[name]
		out.Encode(map[string]string{"name": name, "protobuf": enc(ps, o), "json": enc(js, o), "yaml": enc(ys, o), "cbor": enc(cs, o)})
	}
	events := []struct {
		name, t string
		o       runtime.Object
	}{{"added", "ADDED", &pod}, {"error", "ERROR", &status}, {"start-over", "BOOKMARK", &mark}, {"bookmark", "BOOKMARK", &plain}, {"reported", "MODIFIED", &event}, {"table", "ADDED", named["table"]}}
	for _, e := range events {
		row := map[string]string{"name": "watch-" + e.name}
		var inner bytes.Buffer
		if err := ps.Encode(e.o, &inner); err == nil {
			row["protobuf"] = enc(raw, &metav1.WatchEvent{Type: e.t, Object: runtime.RawExtension{Raw: inner.Bytes()}})
		}
		inner.Reset()
		js.Encode(e.o, &inner)
		j, _ := json.Marshal(metav1.WatchEvent{Type: e.t, Object: runtime.RawExtension{Raw: bytes.TrimSpace(inner.Bytes())}})
		row["json"] = base64.StdEncoding.EncodeToString(j)
		row["cbor"] = enc(cs, &metav1.WatchEvent{Type: e.t, Object: runtime.RawExtension{Object: e.o}})
		out.Encode(row)
	}
}

// Items of a list do not repeat their kind.
func bare(pod corev1.Pod) corev1.Pod {
	pod.TypeMeta = metav1.TypeMeta{}
	return pod
}
