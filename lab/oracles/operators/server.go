package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"math/big"
	mrand "math/rand"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/uuid"
)

type obj = map[string]any

type change struct {
	rv       int
	kind     string
	resource string
	ns       string
	object   obj
	prev     obj
}

var kinds = map[string]string{"configmaps": "ConfigMap", "secrets": "Secret", "namespaces": "Namespace", "events": "Event", "services": "Service", "deployments": "Deployment", "leases": "Lease", "apps": "App", "backups": "Backup", "routes": "Route", "dnsrecords": "DNSRecord", "jobs": "Job", "pods": "Pod"}

var (
	mu      sync.Mutex
	rv      = 1000
	store   = map[string]obj{}
	history []change
	cond    = sync.NewCond(&mu)
)

func clone(o obj) obj {
	text, _ := json.Marshal(o)
	var c obj
	json.Unmarshal(text, &c)
	return c
}
func metaOf(o obj) obj {
	m, _ := o["metadata"].(obj)
	if m == nil {
		m = obj{}
		o["metadata"] = m
	}
	return m
}

func serve() {
	key, _ := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	template := x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour)}
	der, _ := x509.CreateCertificate(rand.Reader, &template, &template, &key.PublicKey, key)
	log, _ := os.OpenFile(os.Args[2], os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0600)
	config := &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}, NextProtos: []string{"h2"}, KeyLogWriter: log}
	listener, err := net.Listen("tcp", "127.0.0.1:6443")
	if err != nil {
		panic(err)
	}
	server := &http.Server{TLSConfig: config, Handler: http.HandlerFunc(handle)}
	server.ServeTLS(listener, "", "")
}

func fail(w http.ResponseWriter, code int, reason, message string) {
	reply(w, code, obj{"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": reason, "message": message, "code": code, "metadata": obj{}})
}
func reply(w http.ResponseWriter, code int, o obj) {
	text, _ := json.Marshal(o)
	w.Header().Set("Content-Length", strconv.Itoa(len(text)))
	w.WriteHeader(code)
	w.Write(text)
}

func put(kind, resource, ns, key string, o, prev obj) {
	rv++
	metaOf(o)["resourceVersion"] = strconv.Itoa(rv)
	if kind == "DELETED" {
		delete(store, key)
	} else {
		store[key] = o
	}
	history = append(history, change{rv, kind, resource, ns, clone(o), prev})
	cond.Broadcast()
}

func selects(s labels.Selector, o obj) bool {
	set := labels.Set{}
	if l, ok := metaOf(o)["labels"].(obj); ok {
		for k, v := range l {
			set[k] = fmt.Sprint(v)
		}
	}
	return s.Matches(set)
}

func merge(into, patch obj) {
	for k, v := range patch {
		if v == nil {
			delete(into, k)
		} else if p, ok := v.(obj); ok {
			c, ok := into[k].(obj)
			if !ok {
				c = obj{}
				into[k] = c
			}
			merge(c, p)
		} else {
			into[k] = v
		}
	}
}

func handle(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Audit-Id", string(uuid.NewUUID()))
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	var gv string
	if len(parts) > 2 && parts[0] == "api" {
		gv, parts = parts[1], parts[2:]
	} else if len(parts) > 3 && parts[0] == "apis" {
		gv, parts = parts[1]+"/"+parts[2], parts[3:]
	} else {
		fail(w, 404, "NotFound", "no such path")
		return
	}
	ns := ""
	if parts[0] == "namespaces" && len(parts) > 2 {
		ns, parts = parts[1], parts[2:]
	}
	resource := parts[0]
	kind := kinds[resource]
	name, sub := "", ""
	if len(parts) > 1 {
		name = parts[1]
	}
	if len(parts) > 2 {
		sub = parts[2]
	}
	if kind == "" {
		fail(w, 404, "NotFound", "no such resource")
		return
	}
	q := r.URL.Query()
	selector, _ := labels.Parse(q.Get("labelSelector"))
	key := resource + "/" + ns + "/" + name
	if q.Get("watch") != "" {
		if q.Get("sendInitialEvents") != "" {
			fail(w, 422, "Invalid", "sendInitialEvents is forbidden for watch")
			return
		}
		watch(w, r, gv, kind, resource, ns, selector)
		return
	}
	var body obj
	json.NewDecoder(r.Body).Decode(&body)
	lat, _ := strconv.Atoi(os.Getenv("LATENCY_MS"))
	time.Sleep(time.Duration(300+mrand.Intn(1500)) * time.Microsecond * time.Duration(lat+1))
	mu.Lock()
	defer mu.Unlock()
	old := store[key]
	if old == nil && name != "" {
		fail(w, 404, "NotFound", resource+" \""+name+"\" not found")
		return
	}
	switch r.Method {
	case "GET":
		if name != "" {
			reply(w, 200, old)
			return
		}
		items := []obj{}
		for k, o := range store {
			if strings.HasPrefix(k, resource+"/") && (ns == "" || metaOf(o)["namespace"] == ns) && selects(selector, o) {
				items = append(items, o)
			}
		}
		reply(w, 200, obj{"kind": kind + "List", "apiVersion": gv, "metadata": obj{"resourceVersion": strconv.Itoa(rv)}, "items": items})
	case "POST":
		m := metaOf(body)
		if g, ok := m["generateName"].(string); ok && m["name"] == nil {
			m["name"] = g + strconv.FormatInt(mrand.Int63n(1e6)+1e6, 36)
		}
		name, _ = m["name"].(string)
		key += name
		if store[key] != nil {
			fail(w, 409, "AlreadyExists", resource+" \""+name+"\" already exists")
			return
		}
		if ns != "" {
			m["namespace"] = ns
		}
		m["uid"] = string(uuid.NewUUID())
		m["creationTimestamp"] = time.Now().UTC().Format(time.RFC3339)
		m["generation"] = 1
		body["kind"], body["apiVersion"] = kind, gv
		put("ADDED", resource, ns, key, body, nil)
		reply(w, 201, body)
	case "PUT", "PATCH":
		now := body
		if r.Method == "PATCH" {
			now = clone(old)
			merge(now, body)
			if v, ok := metaOf(body)["resourceVersion"].(string); ok && v != metaOf(old)["resourceVersion"] {
				fail(w, 409, "Conflict", "the object has been modified")
				return
			}
		} else if v, _ := metaOf(body)["resourceVersion"].(string); v != "" && v != metaOf(old)["resourceVersion"] {
			fail(w, 409, "Conflict", "the object has been modified")
			return
		}
		now = clone(now)
		m := metaOf(now)
		if sub == "status" {
			c := clone(old)
			c["status"] = now["status"]
			now, m = c, metaOf(c)
		} else if resource == "apps" || resource == "backups" || resource == "dnsrecords" || resource == "deployments" {
			if old["status"] != nil {
				now["status"] = old["status"]
			} else {
				delete(now, "status")
			}
		}
		for _, f := range []string{"uid", "creationTimestamp", "deletionTimestamp", "resourceVersion"} {
			if metaOf(old)[f] != nil {
				m[f] = metaOf(old)[f]
			}
		}
		now["kind"], now["apiVersion"] = kind, gv
		a, _ := json.Marshal(now)
		b, _ := json.Marshal(old)
		if string(a) != string(b) {
			left, _ := m["finalizers"].([]any)
			if m["deletionTimestamp"] != nil && len(left) == 0 {
				put("DELETED", resource, ns, key, now, clone(old))
			} else {
				put("MODIFIED", resource, ns, key, now, clone(old))
			}
		}
		reply(w, 200, now)
	case "DELETE":
		left, _ := metaOf(old)["finalizers"].([]any)
		now := clone(old)
		if len(left) > 0 {
			if metaOf(old)["deletionTimestamp"] == nil {
				metaOf(now)["deletionTimestamp"] = time.Now().UTC().Format(time.RFC3339)
				put("MODIFIED", resource, ns, key, now, clone(old))
			}
			reply(w, 200, now)
			return
		}
		put("DELETED", resource, ns, key, now, clone(old))
		reply(w, 200, obj{"kind": "Status", "apiVersion": "v1", "metadata": obj{}, "status": "Success", "details": obj{"name": name, "kind": resource, "uid": metaOf(old)["uid"]}})
	}
}

func watch(w http.ResponseWriter, r *http.Request, gv, kind, resource, ns string, selector labels.Selector) {
	from, _ := strconv.Atoi(r.URL.Query().Get("resourceVersion"))
	w.(http.Flusher).Flush()
	at := 0
	done := r.Context().Done()
	go func() { <-done; cond.Broadcast() }()
	for r.Context().Err() == nil {
		mu.Lock()
		for at == len(history) && r.Context().Err() == nil {
			cond.Wait()
		}
		batch := history[at:]
		at = len(history)
		mu.Unlock()
		wrote := false
		for _, one := range batch {
			if one.rv <= from || one.resource != resource || (ns != "" && one.ns != ns) {
				continue
			}
			t := one.kind
			is, was := selects(selector, one.object), one.prev != nil && selects(selector, one.prev)
			if t == "MODIFIED" && is && !was {
				t = "ADDED"
			} else if t == "MODIFIED" && !is && was {
				t = "DELETED"
			} else if !is {
				continue
			}
			text, _ := json.Marshal(obj{"type": t, "object": one.object})
			w.Write(append(text, '\n'))
			wrote = true
		}
		if wrote {
			w.(http.Flusher).Flush()
		}
	}
}
