package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	apps "k8s.io/api/apps/v1"
	core "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	kinformers "k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	typed "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/record"
	"k8s.io/client-go/util/workqueue"
)

type queue = workqueue.TypedRateLimitingInterface[string]

func newQueue() queue {
	return workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[string]())
}

func worker(name string, q queue, workers int, sync func(ctx context.Context, key string) (time.Duration, error)) {
	for i := 0; i < workers; i++ {
		go func() {
			for {
				key, _ := q.Get()
				ctx := taken(context.Background(), name, key)
				again, err := sync(ctx, key)
				if err != nil {
					q.AddRateLimited(key)
				} else {
					q.Forget(key)
					if again > 0 {
						delayed(name, key, int(again.Milliseconds()))
						q.AddAfter(key, again)
					}
				}
				q.Done(key)
			}
		}()
	}
}

func onEvents(informer cache.SharedIndexInformer, kind string, handle func(o metav1.Object, note func(queue, key string))) {
	of := func(event string, o any) {
		if gone, ok := o.(cache.DeletedFinalStateUnknown); ok {
			o = gone.Obj
		}
		m := o.(metav1.Object)
		handle(m, func(q, key string) { noted(q, key, kind, event, m) })
	}
	informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(o any) { of("ADDED", o) },
		UpdateFunc: func(_, o any) { of("MODIFIED", o) },
		DeleteFunc: func(o any) { of("DELETED", o) },
	})
}

var records = schema.GroupVersionResource{Group: "dns.example.com", Version: "v1", Resource: "dnsrecords"}

func informers() {
	ctx := context.Background()
	cfg := config()
	client := kubernetes.NewForConfigOrDie(cfg)
	dyn := dynamic.NewForConfigOrDie(cfg)
	factory := kinformers.NewSharedInformerFactory(client, 0)
	broadcaster := record.NewBroadcaster()
	broadcaster.StartRecordingToSink(&typed.EventSinkImpl{Interface: client.CoreV1().Events("")})
	recorder := broadcaster.NewRecorder(scheme.Scheme, core.EventSource{Component: filepath.Base(os.Args[0])})

	switch filepath.Base(os.Args[0]) {
	case "rollout-manager":
		q := newQueue()
		deployments := factory.Apps().V1().Deployments()
		onEvents(deployments.Informer(), "Deployment", func(o metav1.Object, note func(q, key string)) {
			key := o.GetNamespace() + "/" + o.GetName()
			note("rollout", key)
			q.Add(key)
		})
		first := map[string]bool{}
		worker("rollout", q, 1, func(ctx context.Context, key string) (time.Duration, error) {
			ns, name, _ := cache.SplitMetaNamespaceKey(key)
			d, err := deployments.Lister().Deployments(ns).Get(name)
			if err != nil {
				return 0, nil
			}
			if d.Status.ObservedGeneration == d.Generation && d.Status.ReadyReplicas == *d.Spec.Replicas {
				return 0, nil
			}
			d = d.DeepCopy()
			if !first[key] {
				first[key] = true
				d.Status.ObservedGeneration = d.Generation
				d.Status.Replicas = *d.Spec.Replicas
				_, err = client.AppsV1().Deployments(ns).UpdateStatus(ctx, d, metav1.UpdateOptions{})
				return 150 * time.Millisecond, err
			}
			d.Status = apps.DeploymentStatus{ObservedGeneration: d.Generation, Replicas: *d.Spec.Replicas, ReadyReplicas: *d.Spec.Replicas}
			_, err = client.AppsV1().Deployments(ns).UpdateStatus(ctx, d, metav1.UpdateOptions{})
			return 0, err
		})
	default:
		replicate, names := newQueue(), newQueue()
		secrets, namespaces, services := factory.Core().V1().Secrets(), factory.Core().V1().Namespaces(), factory.Core().V1().Services()
		sources := func() []*core.Secret {
			all, _ := secrets.Lister().List(everything)
			found := []*core.Secret{}
			for _, one := range all {
				if one.Annotations["replicate"] == "true" {
					found = append(found, one)
				}
			}
			return found
		}
		onEvents(secrets.Informer(), "Secret", func(o metav1.Object, note func(q, key string)) {
			key := o.GetNamespace() + "/" + o.GetName()
			if from := o.GetLabels()["replicated-from"]; from != "" {
				key = from + "/" + o.GetName()
			} else if o.GetAnnotations()["replicate"] != "true" {
				return
			}
			note("replicate", key)
			replicate.Add(key)
		})
		onEvents(namespaces.Informer(), "Namespace", func(o metav1.Object, note func(q, key string)) {
			for _, one := range sources() {
				key := one.Namespace + "/" + one.Name
				note("replicate", key)
				replicate.Add(key)
			}
		})
		onEvents(services.Informer(), "Service", func(o metav1.Object, note func(q, key string)) {
			if o.GetAnnotations()["hostname"] == "" {
				return
			}
			key := o.GetNamespace() + "/" + o.GetName()
			note("dns", key)
			names.Add(key)
		})
		worker("replicate", replicate, 2, func(ctx context.Context, key string) (time.Duration, error) {
			ns, name, _ := cache.SplitMetaNamespaceKey(key)
			source, err := secrets.Lister().Secrets(ns).Get(name)
			all, _ := namespaces.Lister().List(everything)
			for _, target := range all {
				if target.Name == ns || target.DeletionTimestamp != nil {
					continue
				}
				existing, _ := secrets.Lister().Secrets(target.Name).Get(name)
				if source == nil || err != nil {
					if existing != nil && existing.Labels["replicated-from"] == ns {
						client.CoreV1().Secrets(target.Name).Delete(ctx, name, metav1.DeleteOptions{})
					}
					continue
				}
				if existing == nil {
					made := &core.Secret{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"replicated-from": ns}}, Data: source.Data}
					_, err := client.CoreV1().Secrets(target.Name).Create(ctx, made, metav1.CreateOptions{})
					if err != nil && !errors.IsAlreadyExists(err) {
						return 0, err
					}
					recorder.Eventf(source, "Normal", "Replicated", "replicated to %s", target.Name)
				} else if !equality.Semantic.DeepEqual(existing.Data, source.Data) {
					now, err := client.CoreV1().Secrets(target.Name).Get(ctx, name, metav1.GetOptions{})
					if err != nil {
						return 0, err
					}
					now.Data = source.Data
					if _, err := client.CoreV1().Secrets(target.Name).Update(ctx, now, metav1.UpdateOptions{}); err != nil {
						return 0, err
					}
				}
			}
			return 0, nil
		})
		worker("dns", names, 1, func(ctx context.Context, key string) (time.Duration, error) {
			ns, name, _ := cache.SplitMetaNamespaceKey(key)
			service, err := services.Lister().Services(ns).Get(name)
			id := name + "." + ns
			zone := dyn.Resource(records).Namespace("dns-system")
			if err != nil {
				zone.Delete(ctx, id, metav1.DeleteOptions{})
				return 0, nil
			}
			host := service.Annotations["hostname"]
			found, err := zone.Get(ctx, id, metav1.GetOptions{})
			if errors.IsNotFound(err) {
				made := &unstructured.Unstructured{Object: obj{"apiVersion": "dns.example.com/v1", "kind": "DNSRecord", "metadata": obj{"name": id}, "spec": obj{"host": host, "target": service.Spec.ClusterIP}}}
				if _, err = zone.Create(ctx, made, metav1.CreateOptions{}); err != nil {
					return 0, err
				}
				patch := fmt.Sprintf(`{"metadata":{"annotations":{"published":%q}}}`, host)
				_, err = client.CoreV1().Services(ns).Patch(ctx, name, types.MergePatchType, []byte(patch), metav1.PatchOptions{})
				return 3 * time.Second, err
			}
			if err != nil {
				return 0, err
			}
			spec := found.Object["spec"].(obj)
			if spec["host"] != host {
				spec["host"] = host
				if _, err = zone.Update(ctx, found, metav1.UpdateOptions{}); err != nil {
					return 0, err
				}
			}
			return 3 * time.Second, nil
		})
	}
	factory.Start(ctx.Done())
	select {}
}
