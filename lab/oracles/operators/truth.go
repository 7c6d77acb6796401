package main

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

type trigger struct {
	Type            string `json:"type"`
	Kind            string `json:"kind"`
	Namespace       string `json:"namespace"`
	Name            string `json:"name"`
	UID             string `json:"uid"`
	ResourceVersion string `json:"resourceVersion"`
	T               int64  `json:"t"`
	Via             string `json:"via,omitempty"`
	DelayMs         int    `json:"delayMs,omitempty"`
}

type turn struct {
	Queue, Item string
	Start       int64
	Triggers    []trigger
}

type turnKey struct{}

var (
	tmu     sync.Mutex
	waiting = map[string][]trigger{}
	lastOf  = map[string][]trigger{}
	delayOf = map[string]int{}
	out     *os.File
)

func openTruth(path string) {
	out, _ = os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0600)
}

func noted(queue, item, kind, event string, m metav1.Object) {
	tmu.Lock()
	defer tmu.Unlock()
	k := queue + "|" + item
	waiting[k] = append(waiting[k], trigger{event, kind, m.GetNamespace(), m.GetName(), string(m.GetUID()), m.GetResourceVersion(), time.Now().UnixNano(), "", 0})
}

// taken begins a turn.
func taken(ctx context.Context, queue, item string) context.Context {
	tmu.Lock()
	defer tmu.Unlock()
	k := queue + "|" + item
	t := &turn{queue, item, time.Now().UnixNano(), waiting[k]}
	delete(waiting, k)
	if len(t.Triggers) == 0 {
		for _, one := range lastOf[k] {
			one.Via, one.DelayMs = "requeue", delayOf[k]
			t.Triggers = append(t.Triggers, one)
		}
	} else {
		lastOf[k] = t.Triggers
	}
	delete(delayOf, k)
	return context.WithValue(ctx, turnKey{}, t)
}

func delayed(queue, item string, ms int) {
	tmu.Lock()
	delayOf[queue+"|"+item] = ms
	tmu.Unlock()
}

type tripper struct{ next http.RoundTripper }

func (t tripper) RoundTrip(r *http.Request) (*http.Response, error) {
	begun := time.Now().UnixNano()
	answer, err := t.next.RoundTrip(r)
	if err != nil {
		return answer, err
	}
	line := map[string]any{"auditId": answer.Header.Get("Audit-Id"), "t": begun, "component": filepath.Base(os.Args[0]), "verb": r.Method, "path": r.URL.RequestURI(), "status": answer.StatusCode, "triggers": []trigger{}, "stack": "", "how": "direct", "queue": nil, "item": nil, "itemStart": nil}
	if one, ok := r.Context().Value(turnKey{}).(*turn); ok {
		line["how"], line["queue"], line["item"], line["itemStart"], line["triggers"] = "workqueue", one.Queue, one.Item, one.Start, one.Triggers
		if one.Triggers == nil {
			line["triggers"] = []trigger{}
		}
	} else if strings.Contains(r.URL.Path, "/events") {
		line["stack"] = "record.recordEvent"
	} else if r.Method == "GET" && !strings.Contains(r.URL.Path, "/leases/") {
		line["how"] = "reflector"
	}
	text, _ := json.Marshal(line)
	tmu.Lock()
	out.Write(append(text, '\n'))
	tmu.Unlock()
	return answer, nil
}
