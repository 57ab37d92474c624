import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findEnd } from "./kube-objects.ts";
import { type KubeStore, type Stored, toTime } from "./kube-store.test-support.ts";

/** What a container has printed, for whoever follows it. */
export interface ContainerLog {
	/** Of the file that is written now, with the time of each; what is printed without an end of line waits for that. */
	lines: { readonly at: string; readonly text: Buffer }[];
	/** How many lines are in files before. */
	dropped: number;
	rest: Buffer;
	readonly followers: Set<() => void>;
	isOver: boolean;
}

const now = () => toTime(new Date());

/** Makes pods of jobs and processes of pods, as controller, scheduler and kubelet do. `missing:` images cannot be pulled. */
export class KubeController {
	readonly logs = new Map<string, ContainerLog>();
	readonly #store: KubeStore;
	readonly #directory = mkdtempSync(join(tmpdir(), "svc-kube-"));
	readonly #processes = new Map<string, ChildProcess>();
	#isHeld = false;
	#stamps = 0;

	constructor(store: KubeStore) {
		this.#store = store;
	}

	/** Pods are not given a node until `release`. */
	hold(): void {
		this.#isHeld = true;
	}

	release(): void {
		this.#isHeld = false;
		for (const pod of this.#store.list("Pod", ({ spec }) => spec.nodeName === undefined)) this.#schedule(pod);
	}

	/** A job was made: give it what the API server gives, and its pod, where it is not suspended. */
	admit(job: Stored): Stored {
		const isSuspended = job.spec.suspend === true;
		const admitted = this.#store.change(job, (copy) => {
			copy.spec.selector = { matchLabels: toLabel(job) };
			copy.status = isSuspended ? { conditions: [{ type: "Suspended", status: "True", reason: "JobSuspended" }] } : {};
		});
		return isSuspended ? admitted : this.resume(admitted);
	}

	/** It may have its pod now. */
	resume(job: Stored): Stored {
		const { uid, name, namespace } = job.metadata;
		const admitted = this.#store.change(job, (copy) => {
			const conditions = copy.status?.conditions?.map((one: Stored) => ({ ...one, status: "False", reason: "JobResumed" }));
			copy.status = { startTime: now(), active: 1, ...(conditions === undefined ? {} : { conditions }) };
		});
		const { template } = job.spec;
		const metadata = {
			name: `${name}-${uid.slice(0, 5)}`,
			namespace,
			labels: { ...template.metadata.labels, ...toLabel(job) },
			ownerReferences: [{ kind: "Job", name, uid }],
		};
		const pod = this.#store.add({ apiVersion: "v1", kind: "Pod", metadata, spec: template.spec, status: { phase: "Pending" } });
		if (job.spec.activeDeadlineSeconds !== undefined) setTimeout(() => this.#expire(job), job.spec.activeDeadlineSeconds * 1_000).unref();
		this.#schedule(pod);
		return admitted;
	}

	/** Foreground: the job stays until its pods have gone. */
	removeJob(job: Stored, propagation: string): void {
		if (propagation !== "Foreground") this.#store.remove(job);
		else this.#store.change(job, (copy) => void (copy.metadata.deletionTimestamp ??= now()));
		const pods = this.#podsOf(job);
		for (const pod of pods) this.removePod(pod);
		if (pods.length === 0) this.#store.remove(job);
	}

	/** TERM to its process, KILL after its grace; then it is gone. */
	removePod(pod: Stored): void {
		const { uid } = pod.metadata;
		this.#store.change(pod, (copy) => void (copy.metadata.deletionTimestamp ??= now()));
		const child = this.#processes.get(uid);
		if (child?.pid === undefined) return this.#bury(pod);
		signal(child.pid, "SIGTERM");
		setTimeout(
			() => child.pid !== undefined && signal(child.pid, "SIGKILL"),
			(pod.spec.terminationGracePeriodSeconds ?? 30) * 1_000,
		).unref();
	}

	/** As the kubelet does when the log of a container is long: what was printed so far is in a file that nobody is given any more. */
	rotateLogs(): void {
		for (const log of this.logs.values()) {
			log.dropped += log.lines.length;
			log.lines = [];
		}
	}

	stop(): void {
		for (const { pid } of this.#processes.values()) if (pid !== undefined) signal(pid, "SIGKILL");
		rmSync(this.#directory, { recursive: true });
	}

	#schedule(pod: Stored): void {
		const [container] = pod.spec.containers;
		if (this.#isHeld || pod.spec.nodeSelector !== undefined) {
			const message = "0/1 nodes are available: 1 node(s) didn't match Pod's node affinity/selector.";
			this.#store.change(
				pod,
				({ status }) => void (status.conditions = [{ type: "PodScheduled", status: "False", reason: "Unschedulable", message }]),
			);
			return;
		}
		const isMissing = container.image.startsWith("missing:");
		const state = isMissing
			? { waiting: { reason: "ImagePullBackOff", message: `Back-off pulling image "${container.image}"` } }
			: { running: { startedAt: now() } };
		this.#store.change(pod, (copy) => {
			copy.spec.nodeName = "node-1";
			Object.assign(copy.status, {
				conditions: [],
				phase: isMissing ? "Pending" : "Running",
				containerStatuses: [{ name: container.name, state }],
			});
		});
		if (!isMissing) this.#start(pod, container);
	}

	#start(pod: Stored, container: Stored): void {
		const { uid, namespace } = pod.metadata;
		const secretOf = (name: string) => this.#store.get("Secret", namespace, name)?.data ?? {};
		const readValue = (name: string, key: string) => Buffer.from(secretOf(name)[key] ?? "", "base64").toString();
		const env = container.env.map(({ name, valueFrom }: Stored) => [
			name,
			readValue(valueFrom.secretKeyRef.name, valueFrom.secretKeyRef.key),
		]);
		const words: string[] = container.command.map((word: string) => expand(word, Object.fromEntries(env)));
		const [volume] = pod.spec.volumes ?? [];
		if (volume !== undefined) {
			const path = join(this.#directory, uid);
			writeFileSync(path, readValue(volume.secret.secretName, "entry-point"), { mode: volume.secret.defaultMode });
			words[0] = path;
		}
		const [file = "", ...args] = words;
		const child = spawn(file, args, {
			env: { PATH: process.env["PATH"], ...Object.fromEntries(env) },
			cwd: container.workingDir ?? "/",
			detached: true,
		});
		const log: ContainerLog = { lines: [], dropped: 0, rest: Buffer.alloc(0), followers: new Set(), isOver: false };
		this.logs.set(uid, log);
		this.#processes.set(uid, child);
		const startedAt = now();
		const take = (piece: Buffer) => {
			this.#take(log, piece);
			tell(log);
		};
		for (const stream of [child.stdout, child.stderr]) stream.on("data", take);
		child.on("close", (code, signalName) => this.#end(pod, { exitCode: code ?? (signalName === "SIGTERM" ? 143 : 137), startedAt }));
	}

	#take(log: ContainerLog, piece: Buffer): void {
		log.rest = Buffer.concat([log.rest, piece]);
		for (let end = log.rest.indexOf("\n"); end >= 0; end = log.rest.indexOf("\n")) {
			log.lines.push({ at: this.#toStamp(), text: log.rest.subarray(0, end + 1) });
			log.rest = log.rest.subarray(end + 1);
		}
	}

	/** To the nanosecond, and no two alike. */
	#toStamp(): string {
		this.#stamps += 1;
		return new Date().toISOString().replace("Z", `${String(this.#stamps).padStart(6, "0")}Z`);
	}

	#end(pod: Stored, { exitCode, startedAt }: { readonly exitCode: number; readonly startedAt: string }): void {
		const log = this.logs.get(pod.metadata.uid);
		this.#processes.delete(pod.metadata.uid);
		const terminated = { exitCode, reason: exitCode === 0 ? "Completed" : "Error", startedAt, finishedAt: now() };
		const ended = this.#store.change(pod, ({ status }) => {
			status.phase = exitCode === 0 ? "Succeeded" : "Failed";
			status.containerStatuses[0].state = { terminated };
		});
		if (log !== undefined) {
			if (log.rest.length > 0) log.lines.push({ at: this.#toStamp(), text: log.rest });
			log.isOver = true;
			tell(log);
		}
		if (ended?.metadata.deletionTimestamp !== undefined) return this.#bury(pod);
		this.#finish(
			pod,
			exitCode === 0
				? { type: "Complete" }
				: { type: "Failed", reason: "BackoffLimitExceeded", message: "Job has reached the specified backoff limit" },
		);
	}

	/** The pod is gone: a job that is being deleted goes with its last one, any other one has failed. */
	#bury(pod: Stored): void {
		this.#store.remove(pod);
		const job = this.#jobOf(pod);
		if (job?.metadata.deletionTimestamp !== undefined) return this.#store.remove(job);
		this.#finish(pod, { type: "Failed", reason: "BackoffLimitExceeded", message: "Job has reached the specified backoff limit" });
	}

	#expire(job: Stored): void {
		this.#finish(this.#podsOf(job)[0], {
			type: "Failed",
			reason: "DeadlineExceeded",
			message: "Job was active longer than specified deadline",
		});
		for (const pod of this.#podsOf(job)) this.removePod(pod);
	}

	/** The first end stands. */
	#finish(pod: Stored, condition: Stored): void {
		const job = pod === undefined ? undefined : this.#jobOf(pod);
		if (job === undefined || findEnd(job) !== undefined) return;
		const conditions = [...(job.status?.conditions ?? []), { ...condition, status: "True" }];
		this.#store.change(job, ({ status }) => Object.assign(status, { active: 0, conditions }));
	}

	#podsOf(job: Stored): readonly Stored[] {
		return this.#store.list("Pod", ({ metadata }) => metadata.ownerReferences[0].uid === job.metadata.uid);
	}

	#jobOf(pod: Stored): Stored | undefined {
		const [{ uid }] = pod.metadata.ownerReferences;
		return this.#store.list("Job", ({ metadata }) => metadata.uid === uid)[0];
	}
}

const toLabel = ({ metadata }: Stored) => ({ "batch.kubernetes.io/controller-uid": metadata.uid });

/** `$(NAME)` is the variable's value, and `$$` a `$`, as the kubelet reads commands. */
function expand(word: string, env: Readonly<Record<string, string>>): string {
	return word.replace(/\$\$|\$\(([A-Za-z_]\w*)\)/g, (found, name: string | undefined) => (name === undefined ? "$" : (env[name] ?? found)));
}

function tell({ followers }: ContainerLog): void {
	for (const follower of followers) follower();
}

function signal(pid: number, name: NodeJS.Signals): void {
	try {
		process.kill(-pid, name);
	} catch {
		// It has ended.
	}
}
