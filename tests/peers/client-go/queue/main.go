// Program queue works with a work queue and runs a controller that does nothing. Its command line and what it prints are
// those of the program in Rust, as told in ../../queue/src/main.rs.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	listers "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
)

const rounds = 20

type took struct {
	Wall int64 `json:"wall_ns"`
	CPU  int64 `json:"cpu_ns"`
	Runs int64 `json:"runs"`
}

func main() {
	if err := run(context.Background(), os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "Error:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	if len(args) != 3 {
		return fmt.Errorf("usage: WHAT COUNT THREADS")
	}
	count, err := strconv.Atoi(args[1])
	if err != nil {
		return err
	}
	threads, err := strconv.Atoi(args[2])
	if err != nil {
		return err
	}
	runtime.GOMAXPROCS(threads)
	var result took
	switch args[0] {
	case "integers":
		result, err = queue(count, threads, func(task, key int) uint64 { return uint64(task<<32 + key) })
	case "names":
		result, err = queue(count, threads, func(task, key int) string {
			return fmt.Sprintf("namespace-%d/config-map-%06d", task, key)
		})
	case "first":
		result, _, err = reconcile(ctx, count, threads)
	case "again":
		_, result, err = reconcile(ctx, count, threads)
	default:
		err = fmt.Errorf("WHAT is integers, names, first or again")
	}
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(result)
}

func queue[T comparable](count, tasks int, key func(task, key int) T) (took, error) {
	queue := workqueue.NewTyped[T]()
	each := count / tasks
	all := make([][]T, tasks)
	for task := range all {
		for number := range each {
			all[task] = append(all[task], key(task, number))
		}
	}
	var runs atomic.Int64
	var group sync.WaitGroup
	cpu, start := cpuNow(), time.Now()
	for _, own := range all {
		group.Go(func() {
			done := int64(0)
			for _, key := range own {
				queue.Add(key)
				if item, shutdown := queue.Get(); !shutdown {
					queue.Done(item)
					done++
				}
			}
			runs.Add(done)
		})
	}
	group.Wait()
	result := took{time.Since(start).Nanoseconds(), cpuNow() - cpu, runs.Load()}
	if result.Runs != int64(each*tasks) {
		return result, fmt.Errorf("%d runs", result.Runs)
	}
	return result, nil
}

func reconcile(ctx context.Context, count, workers int) (took, took, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var list corev1.ConfigMapList
	list.ResourceVersion = "1"
	for number := range count {
		list.Items = append(list.Items, corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{
			Namespace: "default", Name: fmt.Sprintf("config-map-%06d", number), UID: "uid", ResourceVersion: "1",
		}})
	}
	cpu, start := cpuNow(), time.Now()
	source := &cache.ListWatch{
		ListFunc: func(metav1.ListOptions) (kruntime.Object, error) { return list.DeepCopy(), nil },
		WatchFunc: func(metav1.ListOptions) (watch.Interface, error) {
			return watch.NewFake(), nil
		},
	}
	informer := cache.NewSharedIndexInformer(noStreams{source}, &corev1.ConfigMap{}, 0, cache.Indexers{
		cache.NamespaceIndex: cache.MetaNamespaceIndexFunc,
	})
	queue := workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[string]())
	enqueue := func(object any) {
		if key, err := cache.DeletionHandlingMetaNamespaceKeyFunc(object); err == nil {
			queue.Add(key)
		}
	}
	registration, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    enqueue,
		UpdateFunc: func(_, object any) { enqueue(object) },
		DeleteFunc: enqueue,
	})
	if err != nil {
		return took{}, took{}, err
	}
	go informer.Run(ctx.Done())
	lister := listers.NewConfigMapLister(informer.GetIndexer())
	var done, failed atomic.Int64
	if !cache.WaitForCacheSync(ctx.Done(), registration.HasSynced) {
		return took{}, took{}, fmt.Errorf("not synced")
	}
	for range workers {
		go func() {
			for {
				key, shutdown := queue.Get()
				if shutdown {
					return
				}
				namespace, name, err := cache.SplitMetaNamespaceKey(key)
				if err == nil {
					_, err = lister.ConfigMaps(namespace).Get(name)
				}
				if err != nil {
					failed.Add(1)
				}
				queue.Forget(key)
				queue.Done(key)
				done.Add(1)
			}
		}()
	}
	wait := func(runs int64) {
		for done.Load() < runs {
			time.Sleep(time.Millisecond)
		}
	}
	wait(int64(count))
	first := took{time.Since(start).Nanoseconds(), cpuNow() - cpu, int64(count)}
	all := informer.GetIndexer().ListKeys()
	cpu, start = cpuNow(), time.Now()
	for round := 1; round <= rounds; round++ {
		for _, key := range all {
			queue.Add(key)
		}
		wait(int64(count * (round + 1)))
	}
	again := took{time.Since(start).Nanoseconds(), cpuNow() - cpu, int64(count * rounds)}
	queue.ShutDown()
	if failed.Load() > 0 || done.Load() != int64(count*(rounds+1)) {
		return first, again, fmt.Errorf("%d runs, %d failed", done.Load(), failed.Load())
	}
	return first, again, nil
}

// noStreams says that lists are not to be asked for as watches.
type noStreams struct{ *cache.ListWatch }

func (noStreams) IsWatchListSemanticsUnSupported() bool { return true }

// cpuNow is the processor time of the process, in nanoseconds.
func cpuNow() int64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic(err)
	}
	return usage.Utime.Nano() + usage.Stime.Nano()
}
