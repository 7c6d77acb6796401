package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand"
	"net/http"
	"time"

	"k8s.io/client-go/rest"
)

func user() {
	cfg := config()
	client, err := rest.HTTPClientFor(cfg)
	check(err)
	do := func(method, path string, body obj) {
		text, _ := json.Marshal(body)
		r, _ := http.NewRequest(method, cfg.Host+path, bytes.NewReader(text))
		r.Header.Set("User-Agent", cfg.UserAgent)
		r.Header.Set("Accept", "application/json")
		r.Header.Set("Content-Type", "application/json")
		if method == "PATCH" {
			r.Header.Set("Content-Type", "application/merge-patch+json")
		}
		answer, err := client.Do(r)
		check(err)
		io.Copy(io.Discard, answer.Body)
		answer.Body.Close()
		fmt.Println(method, path, answer.StatusCode)
	}
	pause := func() { time.Sleep(time.Duration(300+rand.Intn(700)) * time.Millisecond) }
	ns := func(name string) {
		do("POST", "/api/v1/namespaces", obj{"metadata": obj{"name": name, "labels": obj{"level": "info"}}})
	}
	secret := func(in, name, value string, replicate string) {
		do("POST", "/api/v1/namespaces/"+in+"/secrets", obj{"metadata": obj{"name": name, "annotations": obj{"replicate": replicate}}, "data": obj{"key": value}})
	}
	for _, name := range []string{"default", "dns-system", "shop"} {
		ns(name)
	}
	pause()
	secret("default", "registry", "YQ==", "true")
	pause()
	secret("shop", "db", "YQ==", "")
	app := func(name, secret string) {
		do("POST", "/apis/demo.example.com/v1/namespaces/shop/apps", obj{"metadata": obj{"name": name}, "spec": obj{"secret": secret, "image": "nginx"}})
	}
	backup := func(of string) {
		do("POST", "/apis/demo.example.com/v1/namespaces/shop/backups", obj{"metadata": obj{"name": "of-" + of}, "spec": obj{"app": of}})
	}
	service := func(in, name string) {
		do("POST", "/api/v1/namespaces/"+in+"/services", obj{"metadata": obj{"name": name, "annotations": obj{"hostname": name + ".example.com"}}, "spec": obj{"clusterIP": "203.0.113.5"}})
	}
	app("cart", "db")
	pause()
	app("pay", "pay-key")
	pause()
	service("shop", "cart")
	pause()
	backup("cart")
	pause()
	secret("shop", "pay-key", "Yg==", "")
	pause()
	do("PATCH", "/api/v1/namespaces/shop/secrets/db", obj{"data": obj{"key": "Yw=="}})
	pause()
	do("PATCH", "/api/v1/namespaces/default/secrets/registry", obj{"data": obj{"key": "ZA=="}})
	ns("team-a")
	pause()
	do("PATCH", "/apis/demo.example.com/v1/namespaces/shop/apps/cart", obj{"spec": obj{"image": "nginx:2"}})
	do("PATCH", "/apis/demo.example.com/v1/namespaces/shop/apps/pay", obj{"spec": obj{"image": "nginx:2"}})
	service("shop", "pay")
	pause()
	do("PATCH", "/api/v1/namespaces/shop/services/cart", obj{"metadata": obj{"annotations": obj{"hostname": "c.example.com"}}})
	backup("pay")
	pause()
	do("PATCH", "/api/v1/namespaces/shop", obj{"metadata": obj{"labels": obj{"level": "debug"}}})
	pause()
	ns("team-b")
	secret("team-a", "token", "YQ==", "true")
	pause()
	do("DELETE", "/api/v1/namespaces/team-b/secrets/registry", nil)
	pause()
	do("PATCH", "/api/v1/namespaces/shop/secrets/pay-key", obj{"data": obj{"key": "ZQ=="}})
	do("PATCH", "/api/v1/namespaces/shop/secrets/db", obj{"data": obj{"key": "ZQ=="}})
	pause()
	time.Sleep(2 * time.Second)
	do("DELETE", "/api/v1/namespaces/default/secrets/registry", nil)
	do("DELETE", "/api/v1/namespaces/shop/services/pay", nil)
	pause()
	do("DELETE", "/apis/demo.example.com/v1/namespaces/shop/apps/cart", nil)
	do("DELETE", "/apis/demo.example.com/v1/namespaces/shop/apps/pay", nil)
	time.Sleep(2 * time.Second)
}
