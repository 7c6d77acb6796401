package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"time"

	apps "k8s.io/api/apps/v1"
	core "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"github.com/go-logr/logr"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

var everything = labels.Everything()

// accounted notes what adds a key.
type accounted struct {
	handler.EventHandler
	queue string
}
type noting struct {
	workqueue.TypedRateLimitingInterface[reconcile.Request]
	note func(key string)
}

func (n noting) Add(item reconcile.Request) {
	n.note(item.String())
	n.TypedRateLimitingInterface.Add(item)
}
func (a accounted) wrap(q workqueue.TypedRateLimitingInterface[reconcile.Request], event string, o client.Object) noting {
	kind := o.GetObjectKind().GroupVersionKind().Kind
	if kind == "" {
		if gvks, _, err := scheme.Scheme.ObjectKinds(o); err == nil {
			kind = gvks[0].Kind
		}
	}
	return noting{q, func(key string) { noted(a.queue, key, kind, event, o) }}
}
func (a accounted) Create(ctx context.Context, e event.CreateEvent, q workqueue.TypedRateLimitingInterface[reconcile.Request]) {
	a.EventHandler.Create(ctx, e, a.wrap(q, "ADDED", e.Object))
}
func (a accounted) Update(ctx context.Context, e event.UpdateEvent, q workqueue.TypedRateLimitingInterface[reconcile.Request]) {
	a.EventHandler.Update(ctx, e, a.wrap(q, "MODIFIED", e.ObjectNew))
}
func (a accounted) Delete(ctx context.Context, e event.DeleteEvent, q workqueue.TypedRateLimitingInterface[reconcile.Request]) {
	a.EventHandler.Delete(ctx, e, a.wrap(q, "DELETED", e.Object))
}

func custom(kind string) *unstructured.Unstructured {
	u := &unstructured.Unstructured{}
	u.SetGroupVersionKind(schema.GroupVersionKind{Group: "demo.example.com", Version: "v1", Kind: kind})
	return u
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func controllers() {
	log.SetLogger(logr.Discard())
	cfg := config()
	m, err := ctrl.NewManager(cfg, ctrl.Options{
		Metrics: server.Options{BindAddress: "0"}, LeaderElection: true, LeaderElectionID: "apps.demo.example.com", LeaderElectionNamespace: "default",
		Client: client.Options{Cache: &client.CacheOptions{Unstructured: true}},
		MapperProvider: func(*rest.Config, *http.Client) (meta.RESTMapper, error) {
			mapper := meta.NewDefaultRESTMapper(nil)
			demo := schema.GroupVersion{Group: "demo.example.com", Version: "v1"}
			mapper.Add(demo.WithKind("App"), meta.RESTScopeNamespace)
			mapper.Add(demo.WithKind("Backup"), meta.RESTScopeNamespace)
			for _, kind := range []string{"ConfigMap", "Secret", "Event"} {
				mapper.Add(core.SchemeGroupVersion.WithKind(kind), meta.RESTScopeNamespace)
			}
			mapper.Add(core.SchemeGroupVersion.WithKind("Namespace"), meta.RESTScopeRoot)
			mapper.Add(apps.SchemeGroupVersion.WithKind("Deployment"), meta.RESTScopeNamespace)
			return mapper, nil
		},
	})
	check(err)
	c := m.GetClient()
	recorder := m.GetEventRecorderFor(filepath.Base(os.Args[0]))
	own := func(queue string) handler.EventHandler { return accounted{&handler.EnqueueRequestForObject{}, queue} }
	owned := func(queue string, owner client.Object) handler.EventHandler {
		return accounted{handler.EnqueueRequestForOwner(m.GetScheme(), m.GetRESTMapper(), owner, handler.OnlyControllerOwner()), queue}
	}
	mapped := func(queue string, f handler.MapFunc) handler.EventHandler {
		return accounted{handler.EnqueueRequestsFromMapFunc(f), queue}
	}
	turned := func(queue string, f func(ctx context.Context, r reconcile.Request) (reconcile.Result, error)) reconcile.Reconciler {
		return reconcile.Func(func(ctx context.Context, r reconcile.Request) (reconcile.Result, error) {
			result, err := f(taken(ctx, queue, r.String()), r)
			if err == nil && result.RequeueAfter > 0 {
				delayed(queue, r.String(), int(result.RequeueAfter.Milliseconds()))
			}
			return result, err
		})
	}
	appsThat := func(field string) handler.MapFunc {
		return func(ctx context.Context, o client.Object) []reconcile.Request {
			list := &unstructured.UnstructuredList{}
			list.SetGroupVersionKind(schema.GroupVersionKind{Group: "demo.example.com", Version: "v1", Kind: "AppList"})
			c.List(ctx, list, client.InNamespace(o.GetNamespace()))
			found := []reconcile.Request{}
			for _, one := range list.Items {
				if name, _, _ := unstructured.NestedString(one.Object, "spec", field); name == o.GetName() {
					found = append(found, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(&one)})
				}
			}
			return found
		}
	}
	check(ctrl.NewControllerManagedBy(m).Named("app").
		Watches(custom("App"), own("app")).
		Watches(&apps.Deployment{}, owned("app", custom("App"))).
		Watches(&core.Secret{}, mapped("app", appsThat("secret"))).
		Complete(turned("app", func(ctx context.Context, r reconcile.Request) (reconcile.Result, error) {
			app := custom("App")
			if err := c.Get(ctx, r.NamespacedName, app); err != nil {
				return reconcile.Result{}, client.IgnoreNotFound(err)
			}
			deployment := &apps.Deployment{}
			deployment.Name, deployment.Namespace = app.GetName(), app.GetNamespace()
			if app.GetDeletionTimestamp() != nil {
				if controllerutil.ContainsFinalizer(app, "demo.example.com/app") {
					if err := c.Delete(ctx, deployment); client.IgnoreNotFound(err) != nil {
						return reconcile.Result{}, err
					}
					controllerutil.RemoveFinalizer(app, "demo.example.com/app")
					return reconcile.Result{}, c.Update(ctx, app)
				}
				return reconcile.Result{}, nil
			}
			if controllerutil.AddFinalizer(app, "demo.example.com/app") {
				return reconcile.Result{}, c.Update(ctx, app)
			}
			name, _, _ := unstructured.NestedString(app.Object, "spec", "secret")
			secret, settings := &core.Secret{}, &core.ConfigMap{}
			if err := c.Get(ctx, client.ObjectKey{Namespace: r.Namespace, Name: name}, secret); err != nil {
				if errors.IsNotFound(err) {
					recorder.Eventf(app, "Warning", "SecretMissing", "secret %s is missing", name)
					return reconcile.Result{}, nil
				}
				return reconcile.Result{}, err
			}
			c.Get(ctx, client.ObjectKey{Namespace: r.Namespace, Name: "settings"}, settings)
			text, _ := json.Marshal(secret.Data)
			sum := sha256.Sum256(text)
			image, _, _ := unstructured.NestedString(app.Object, "spec", "image")
			result, err := controllerutil.CreateOrUpdate(ctx, c, deployment, func() error {
				one := int32(1)
				labels := map[string]string{"app": app.GetName()}
				deployment.Spec.Replicas = &one
				deployment.Spec.Selector = &metav1.LabelSelector{MatchLabels: labels}
				deployment.Spec.Template.Labels = labels
				deployment.Spec.Template.Annotations = map[string]string{"checksum": hex.EncodeToString(sum[:8]), "level": settings.Data["level"]}
				deployment.Spec.Template.Spec.Containers = []core.Container{{Name: "app", Image: image}}
				return controllerutil.SetControllerReference(app, deployment, m.GetScheme())
			})
			if err != nil {
				return reconcile.Result{}, err
			}
			if result != controllerutil.OperationResultNone {
				recorder.Eventf(app, "Normal", "Deployed", "deployment %s", result)
			}
			ready := deployment.Status.ReadyReplicas > 0
			is, _, _ := unstructured.NestedBool(app.Object, "status", "ready")
			check, _, _ := unstructured.NestedString(app.Object, "status", "checksum")
			if is != ready || check != hex.EncodeToString(sum[:8]) {
				unstructured.SetNestedField(app.Object, ready, "status", "ready")
				unstructured.SetNestedField(app.Object, hex.EncodeToString(sum[:8]), "status", "checksum")
				if err := c.Status().Update(ctx, app); err != nil {
					return reconcile.Result{}, err
				}
			}
			return reconcile.Result{RequeueAfter: 3 * time.Second}, nil
		})))
	check(ctrl.NewControllerManagedBy(m).Named("backup").
		Watches(custom("Backup"), own("backup")).
		Watches(&core.ConfigMap{}, owned("backup", custom("Backup"))).
		Watches(custom("App"), mapped("backup", func(ctx context.Context, o client.Object) []reconcile.Request {
			return []reconcile.Request{{NamespacedName: client.ObjectKey{Namespace: o.GetNamespace(), Name: "of-" + o.GetName()}}}
		})).
		Complete(turned("backup", func(ctx context.Context, r reconcile.Request) (reconcile.Result, error) {
			backup := custom("Backup")
			if err := c.Get(ctx, r.NamespacedName, backup); err != nil {
				return reconcile.Result{}, client.IgnoreNotFound(err)
			}
			app := custom("App")
			name, _, _ := unstructured.NestedString(backup.Object, "spec", "app")
			if err := c.Get(ctx, client.ObjectKey{Namespace: r.Namespace, Name: name}, app); err != nil {
				return reconcile.Result{}, client.IgnoreNotFound(err)
			}
			state, _, _ := unstructured.NestedString(app.Object, "status", "checksum")
			saved := &core.ConfigMap{}
			saved.Name, saved.Namespace = "backup-"+name, r.Namespace
			if _, err := controllerutil.CreateOrUpdate(ctx, c, saved, func() error {
				saved.Data = map[string]string{"state": state}
				return controllerutil.SetControllerReference(backup, saved, m.GetScheme())
			}); err != nil {
				return reconcile.Result{}, err
			}
			if app.GetAnnotations()["last-backup"] != state {
				before := app.DeepCopy()
				app.SetAnnotations(map[string]string{"last-backup": state})
				if err := c.Patch(ctx, app, client.MergeFrom(before)); err != nil {
					return reconcile.Result{}, err
				}
			}
			done, _, _ := unstructured.NestedString(backup.Object, "status", "state")
			if done != state {
				unstructured.SetNestedField(backup.Object, state, "status", "state")
				return reconcile.Result{}, c.Status().Update(ctx, backup)
			}
			return reconcile.Result{}, nil
		})))
	check(ctrl.NewControllerManagedBy(m).Named("defaults").
		Watches(&core.Namespace{}, own("defaults")).
		Complete(turned("defaults", func(ctx context.Context, r reconcile.Request) (reconcile.Result, error) {
			namespace, made := &core.Namespace{}, &core.ConfigMap{}
			if err := c.Get(ctx, r.NamespacedName, namespace); err != nil {
				return reconcile.Result{}, client.IgnoreNotFound(err)
			}
			made.Name, made.Namespace = "settings", r.Name
			_, err := controllerutil.CreateOrUpdate(ctx, c, made, func() error {
				made.Data = map[string]string{"level": namespace.Labels["level"]}
				return nil
			})
			return reconcile.Result{}, err
		})))
	check(m.Start(ctrl.SetupSignalHandler()))
}

var _ manager.Manager = nil
