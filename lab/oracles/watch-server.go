// Watches as k8s.io/apiserver's own WatchServer sends them, over HTTP and over WebSockets, in every encoding:
// fixtures/watch-server. Prints what was sent, a line for each event; tcpdump records it beside.
//
//	go get k8s.io/apiserver@v0.34.4 golang.org/x/net/websocket && tcpdump -i lo -w capture.pcap tcp port 8080 &
//	go run watch-server.go > truth.jsonl
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"golang.org/x/net/websocket"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer/cbor"
	jsonser "k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/apimachinery/pkg/util/httpstream/wsstream"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/apiserver/pkg/endpoints/handlers"
	"k8s.io/client-go/kubernetes/scheme"
)

type encoding struct {
	mediaType      string
	text           bool
	framer         runtime.Framer
	stream, object runtime.Encoder
}

type forever struct{}

func (forever) TimeoutCh() (<-chan time.Time, func() bool) { return nil, func() bool { return false } }

func main() {
	s := scheme.Scheme
	metav1.AddMetaToScheme(s)
	js := jsonser.NewSerializerWithOptions(jsonser.DefaultMetaFactory, s, s, jsonser.SerializerOptions{})
	ps, raw := protobuf.NewSerializer(s, s), protobuf.NewRawSerializer(s, s)
	cs := cbor.NewSerializer(s, s)
	encodings := map[string]encoding{
		"application/json":                    {"application/json", true, jsonser.Framer, js, js},
		"application/vnd.kubernetes.protobuf": {"application/vnd.kubernetes.protobuf;stream=watch", false, protobuf.LengthDelimitedFramer, raw, ps},
		"application/cbor":                    {"application/cbor-seq", false, cbor.NewFramer(), cs, cs},
	}
	listener, err := net.Listen("tcp", "127.0.0.1:8080")
	check(err)
	go http.Serve(listener, http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		chosen := encodings[req.Header.Get("Accept")]
		ws := wsstream.IsWebSocketRequest(req)
		watcher := watch.NewFake()
		server := &handlers.WatchServer{Watching: watcher, Scope: &handlers.RequestScope{Resource: schema.GroupVersionResource{Version: "v1", Resource: "pods"}},
			UseTextFraming: chosen.text, MediaType: chosen.mediaType, Framer: chosen.framer, Encoder: chosen.stream, EmbeddedEncoder: chosen.object, TimeoutFactory: forever{}}
		go func() {
			for _, event := range events() {
				watcher.Action(event.Type, event.Object)
			}
			time.Sleep(50 * time.Millisecond)
			watcher.Stop()
		}()
		w.Header().Set("Audit-Id", fmt.Sprintf("00000000-0000-4000-8000-%012d", len(chosen.mediaType)))
		if ws {
			w.Header().Set("Content-Type", server.MediaType)
			websocket.Handler(server.HandleWS).ServeHTTP(w, req)
		} else {
			server.HandleHTTP(w, req)
		}
	}))
	for _, accept := range []string{"application/json", "application/vnd.kubernetes.protobuf", "application/cbor"} {
		for _, ws := range []bool{false, true} {
			if ws {
				overWebSocket(accept)
			} else {
				overHTTP(accept)
			}
			tell(accept, ws)
			time.Sleep(100 * time.Millisecond)
		}
	}
}

func events() []watch.Event {
	pod := func(name, version string, size int) *corev1.Pod {
		return &corev1.Pod{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"}, ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "shop", UID: "u-1", ResourceVersion: version,
			Annotations: map[string]string{"note": strings.Repeat("a \"quoted\" {brace\n", size)}}, Spec: corev1.PodSpec{NodeName: "node-1", Containers: []corev1.Container{{Name: "c", Image: "nginx"}}}}
	}
	mark := &corev1.Pod{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"}, ObjectMeta: metav1.ObjectMeta{ResourceVersion: "703", Annotations: map[string]string{"k8s.io/initial-events-end": "true"}}}
	status := &metav1.Status{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}, Status: "Failure", Message: "too old resource version: 1 (2)", Reason: "Expired", Code: 410}
	return []watch.Event{{Type: watch.Added, Object: pod("web", "701", 1)}, {Type: watch.Added, Object: pod("large", "702", 5000)}, {Type: watch.Bookmark, Object: mark},
		{Type: watch.Modified, Object: pod("web", "704", 20)}, {Type: watch.Deleted, Object: pod("web", "705", 0)}, {Type: watch.Error, Object: status}}
}

func tell(accept string, ws bool) {
	for _, event := range events() {
		row := map[string]any{"accept": accept, "webSocket": ws, "type": event.Type, "kind": event.Object.GetObjectKind().GroupVersionKind().Kind}
		if object, err := meta.Accessor(event.Object); err == nil {
			row["name"], row["resourceVersion"] = object.GetName(), object.GetResourceVersion()
		}
		check(json.NewEncoder(os.Stdout).Encode(row))
	}
}

func overHTTP(accept string) {
	req, err := http.NewRequest("GET", "http://127.0.0.1:8080/api/v1/namespaces/shop/pods?watch=true", nil)
	check(err)
	req.Header.Set("Accept", accept)
	req.Header.Set("User-Agent", "operator/v1.0 (linux/amd64)")
	answer, err := (&http.Transport{}).RoundTrip(req)
	check(err)
	_, err = io.Copy(io.Discard, answer.Body)
	check(err)
}

func overWebSocket(accept string) {
	config, err := websocket.NewConfig("ws://127.0.0.1:8080/api/v1/namespaces/shop/pods?watch=true", "http://127.0.0.1:8080")
	check(err)
	config.Header = http.Header{"Accept": {accept}, "User-Agent": {"okhttp/4.12.0"}}
	conn, err := websocket.DialConfig(config)
	check(err)
	_, err = io.Copy(io.Discard, conn)
	check(err)
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
