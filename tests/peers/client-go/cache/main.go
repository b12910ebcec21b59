// Program cache measures client-go's informer, store and queues. Its command line and what it prints are those of the programs
// in Rust, as told in ../../harness/src/caches.rs.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
)

// mark is the resourceVersion of the pod that is another after a relist.
const mark = "2900000"

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "Error:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) < 2 {
		return fmt.Errorf("usage: OP ARGUMENT...")
	}
	switch args[0] {
	case "informer":
		return informer(number(args[1]), number(args[2]))
	case "relist":
		return relist(number(args[1]))
	case "store":
		return store(args[1], number(args[2]), number(args[3]))
	case "queue":
		return queue(args[1], number(args[2]))
	}
	return fmt.Errorf("no operation %q", args[0])
}

func number(text string) int {
	value, err := strconv.Atoi(text)
	if err != nil {
		panic(err)
	}
	return value
}

// A meter is the clocks at a moment.
type meter struct {
	wall time.Time
	cpu  int64
	live int64
}

// start begins to measure; live memory is what is left after a collection.
func start() meter {
	live := collected()
	return meter{time.Now(), cpu(), live}
}

// read is what has passed; the collection that tells what is live is not counted.
func (begun meter) print(objects int) error {
	wall, used := time.Since(begun.wall).Nanoseconds(), cpu()-begun.cpu
	peak := status("VmHWM:")
	live := collected() - begun.live
	debug.FreeOSMemory()
	return json.NewEncoder(os.Stdout).Encode(map[string]int64{
		"wall_ns": wall, "cpu_ns": used, "objects": int64(objects), "live_bytes": live,
		"resident_bytes": status("VmRSS:"), "peak_bytes": peak,
	})
}

func cpu() int64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic(err)
	}
	return usage.Utime.Nano() + usage.Stime.Nano()
}

func collected() int64 {
	runtime.GC()
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int64(stats.HeapAlloc)
}

func status(name string) int64 {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		panic(err)
	}
	for line := range strings.Lines(string(text)) {
		if rest, found := strings.CutPrefix(line, name); found {
			return int64(number(strings.Fields(rest)[0])) * 1024
		}
	}
	panic("no " + name)
}

// A seen is what a handler has seen.
type seen struct{ updates, marks atomic.Int64 }

func synced(pods int) (cache.SharedIndexInformer, *seen, error) {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	config, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, nil).ClientConfig()
	if err != nil {
		return nil, nil, err
	}
	config.QPS = -1
	config.ContentType = "application/vnd.kubernetes.protobuf"
	config.AcceptContentTypes = config.ContentType + ",application/json"
	clientset, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, nil, err
	}
	begun := start()
	factory := informers.NewSharedInformerFactory(clientset, 0)
	informer := factory.Core().V1().Pods().Informer()
	saw := &seen{}
	registration, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{UpdateFunc: func(_, object any) {
		saw.updates.Add(1)
		if object.(*corev1.Pod).ResourceVersion == mark {
			saw.marks.Add(1)
		}
	}})
	if err != nil {
		return nil, nil, err
	}
	factory.Start(make(chan struct{}))
	for !informer.HasSynced() || !registration.HasSynced() {
		time.Sleep(time.Millisecond)
	}
	if got := len(informer.GetStore().ListKeys()); got != pods {
		return nil, nil, fmt.Errorf("%d pods", got)
	}
	return informer, saw, begun.print(pods)
}

func informer(pods, events int) error {
	informer, saw, err := synced(pods)
	if err != nil {
		return err
	}
	begun := start()
	for saw.updates.Load() < int64(events) {
		time.Sleep(5 * time.Millisecond)
	}
	defer runtime.KeepAlive(informer)
	return begun.print(events)
}

func relist(pods int) error {
	informer, saw, err := synced(pods)
	if err != nil {
		return err
	}
	if err := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0); err != nil {
		return err
	}
	begun := start()
	for saw.marks.Load() < 1 {
		time.Sleep(5 * time.Millisecond)
	}
	if got := len(informer.GetStore().ListKeys()); got != pods {
		return fmt.Errorf("%d pods", got)
	}
	return begun.print(pods)
}

func decode(path string) ([]*corev1.Pod, error) {
	body, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	object, _, err := scheme.Codecs.UniversalDeserializer().Decode(body, nil, &corev1.PodList{})
	if err != nil {
		return nil, err
	}
	list := object.(*corev1.PodList)
	pods := make([]*corev1.Pod, len(list.Items))
	for i := range list.Items {
		pods[i] = &list.Items[i]
	}
	return pods, nil
}

// figures are nanoseconds for an operation, by name.
type figures map[string]float64

// measure does something on each of so many threads; of several measurements the least counts.
func (figures figures) measure(name string, threads, times int, work func(thread int)) {
	wall, used := time.Now(), cpu()
	var workers sync.WaitGroup
	for thread := range threads {
		workers.Go(func() { work(thread) })
	}
	workers.Wait()
	figures.least(name, float64(cpu()-used)/float64(times))
	figures.least(name+" (wall)", float64(time.Since(wall).Nanoseconds())/float64(times))
}

func (figures figures) least(name string, value float64) {
	if before, known := figures[name]; !known || value < before {
		figures[name] = value
	}
}

func store(path string, threads, rounds int) error {
	first, err := decode(path)
	if err != nil {
		return err
	}
	second := make([]*corev1.Pod, len(first))
	keys := make([]string, len(first))
	for i, pod := range first {
		second[i] = pod.DeepCopy()
		second[i].ResourceVersion = "999"
		keys[i] = pod.Namespace + "/" + pod.Name
	}
	figures := figures{}
	for range rounds {
		indexer := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{
			cache.NamespaceIndex: cache.MetaNamespaceIndexFunc,
			"node": func(object any) ([]string, error) {
				return []string{object.(*corev1.Pod).Spec.NodeName}, nil
			},
		})
		share := func(pods []*corev1.Pod, thread int) []*corev1.Pod {
			return pods[len(pods)*thread/threads : len(pods)*(thread+1)/threads]
		}
		runtime.GC()
		figures.measure("add", threads, len(first), func(thread int) {
			for _, pod := range share(first, thread) {
				if err := indexer.Add(pod); err != nil {
					panic(err)
				}
			}
		})
		figures.measure("update", threads, len(first), func(thread int) {
			for _, pod := range share(second, thread) {
				if err := indexer.Update(pod); err != nil {
					panic(err)
				}
			}
		})
		figures.measure("get", threads, threads*len(keys), func(thread int) {
			for place := range keys {
				key := keys[(place*7919+thread*13)%len(keys)]
				if _, found, err := indexer.GetByKey(key); err != nil || !found {
					panic(key)
				}
			}
		})
		values := indexer.ListIndexFuncValues("node")
		figures.measure("by index, for an object", threads, threads*len(keys), func(int) {
			for _, value := range values {
				if objects, err := indexer.ByIndex("node", value); err != nil || len(objects) == 0 {
					panic(value)
				}
			}
		})
	}
	return json.NewEncoder(os.Stdout).Encode(figures)
}

// A popper is a queue.
type popper interface {
	Add(object any) error
	Pop(process cache.PopProcessFunc) (any, error)
}

func queue(path string, rounds int) error {
	pods, err := decode(path)
	if err != nil {
		return err
	}
	figures := figures{}
	through := func(name string, queue popper, known cache.Store) {
		for range rounds {
			runtime.GC()
			figures.measure(name, 1, len(pods), func(int) {
				for _, pod := range pods {
					if err := queue.Add(pod); err != nil {
						panic(err)
					}
				}
				for range pods {
					if _, err := queue.Pop(func(object any, _ bool) error {
						return known.Add(object.(cache.Deltas).Newest().Object)
					}); err != nil {
						panic(err)
					}
				}
			})
		}
	}
	known := cache.NewStore(cache.MetaNamespaceKeyFunc)
	through("DeltaFIFO", cache.NewDeltaFIFOWithOptions(cache.DeltaFIFOOptions{
		KnownObjects: known, EmitDeltaTypeReplaced: true,
	}), known)
	known = cache.NewStore(cache.MetaNamespaceKeyFunc)
	through("in-order queue", cache.NewRealFIFO(cache.MetaNamespaceKeyFunc, known, nil), known)
	return json.NewEncoder(os.Stdout).Encode(figures)
}
