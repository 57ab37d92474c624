import { setTimeout as delay } from "node:timers/promises";
import type { JsonObject, RunResult } from "../../core/contract/index.ts";
import { JobCreation, toError } from "./job-creation.ts";
import { begunAnnotation, holderAnnotation, labels, type Manifests } from "./job-manifest.ts";
import { toRunResult } from "./job-result.ts";
import { type KubeClient, KubeRefusal } from "./kube-client.ts";
import { container, findEnd, findPendingReason, type Job, type Pod, stateOf } from "./kube-objects.ts";
import { jobsPath, type NamespaceWatch, podsPath } from "./namespace-watch.ts";
import { isLeft, type JobContext } from "./parameters.ts";
import { PodLog } from "./pod-log.ts";

interface JobRunOptions {
	readonly context: JobContext;
	readonly client: KubeClient;
	readonly manifests: Manifests;
	readonly watch: NamespaceWatch;
	/** Id of this run, written to an annotation of the job. The annotation shows which process of the service follows the job. */
	readonly holder: string;
}

/** Milliseconds between retries, and between polls if the watch reports no change. */
const [tryAgain, slowLook] = [1_000, 2_000];
/** Milliseconds to wait for the rest of the output after the job and its pod were deleted. */
const lastOutput = 2_000;

const leftRunning: RunResult = { succeeded: false, status: "running", result: {} };

/** One run of an action: creates its job, or recovers it, and follows it to its end. */
export class JobRun {
	readonly #options: JobRunOptions;
	#job: Job | undefined;
	#pod: Pod | undefined;
	#log: PodLog | undefined;
	#failure: { readonly error: unknown } | undefined;
	#told = "";
	readonly #making: JobCreation;
	#wake = () => {};
	#hasNews = false;

	constructor(options: JobRunOptions) {
		this.#options = options;
		this.#making = new JobCreation({ ...options, tell: (line) => this.#tell(line) });
	}

	/** Creates the job and follows it. */
	async run(): Promise<RunResult> {
		const { context, manifests } = this.#options;
		const place = { namespace: manifests.namespace, name: manifests.name };
		await context.saveState(place);
		// If the run is aborted already, find a job that an earlier attempt may have created, but create none.
		const job = await this.#making.persist(() => (context.signal.aborted ? this.#making.find() : this.#making.create()));
		if (job === undefined) return this.#withoutJob();
		await context.saveState({ ...place, uid: job.metadata.uid ?? "" });
		await this.#making.begin(job);
		return this.#follow(job.metadata.uid);
	}

	/** Resumes a run that another process of the service has started. If the id of the job is stored, no new job is created. */
	async recover({ uid }: JsonObject): Promise<RunResult> {
		this.#making.expectJob();
		if (typeof uid !== "string") return this.run();
		const job = await this.#making.persist(() => this.#making.hold(uid));
		if (job !== undefined) await this.#making.begin(job);
		return this.#follow(uid);
	}

	#withoutJob(): RunResult {
		return isLeft(this.#options.context)
			? leftRunning
			: { succeeded: false, result: { error: "the action was ended before its job was created" } };
	}

	async #follow(uid: string | undefined): Promise<RunResult> {
		const { context, watch, manifests } = this.#options;
		const unlisten = watch.listen(context.liveaction_id, () => this.#wakeUp());
		const onAbort = () => this.#wakeUp();
		context.signal.addEventListener("abort", onAbort);
		try {
			const isOver = await this.#followTo(uid);
			if (!isOver || isLeft(context)) return leftRunning;
			if (this.#failure !== undefined) throw this.#failure.error;
			const end = this.#job === undefined ? undefined : findEnd(this.#job);
			const isWhole = this.#log?.isWhole === true;
			return toRunResult({ context, name: manifests.name, namespace: manifests.namespace, job: this.#job, pod: this.#pod, end, isWhole });
		} finally {
			unlisten();
			context.signal.removeEventListener("abort", onAbort);
			await this.#log?.stop();
		}
	}

	/** Returns false if the job is left running, or if another process follows it now. */
	async #followTo(uid: string | undefined): Promise<boolean> {
		const { context } = this.#options;
		for (;;) {
			if (isLeft(context)) return false;
			const isGone = await this.#look(uid);
			if (isLeft(context)) return false;
			await this.#tellState();
			this.#openLog();
			const isEnded = isGone || (this.#job !== undefined && findEnd(this.#job) !== undefined);
			const isUnwanted = context.signal.aborted || this.#failure !== undefined;
			if (isEnded && !isUnwanted) return this.#readLast(isGone);
			if (isGone) return this.#readLast(true);
			if (isUnwanted && !(await this.#end(uid))) return this.#giveUp();
			await this.#wait(isUnwanted ? tryAgain : slowLook);
		}
	}

	/**
	 * Updates the state of the job and its pod. Returns true if the job no longer exists. The watch may lag, so the API server is queried
	 * for a job that the watch lacks.
	 */
	async #look(uid: string | undefined): Promise<boolean> {
		const { client, context, watch } = this.#options;
		this.#pod = watch.pod(context.liveaction_id) ?? this.#pod;
		const known = watch.job(context.liveaction_id);
		try {
			const job = known?.metadata.uid === uid && known !== undefined ? known : await client.ask<Job>({ path: this.#path });
			if (job.metadata.uid !== uid) return true;
			this.#job = job;
			if (findEnd(job) !== undefined && stateOf(this.#pod)?.terminated === undefined) await this.#findPod();
			return false;
		} catch (error) {
			if (error instanceof KubeRefusal && error.status === 404) return true;
			if (this.#making.isTransient(error)) return false;
			throw toError(error);
		}
	}

	/** Queries the pods of the job, because the watch of the pods may lag the watch of the jobs. */
	async #findPod(): Promise<void> {
		const { client, context, manifests } = this.#options;
		const query = new URLSearchParams({ labelSelector: `${labels.liveaction}=${context.liveaction_id}` });
		const { items } = await client.ask<{ readonly items: readonly Pod[] }>({ path: `${podsPath(manifests.namespace)}?${query}` });
		this.#pod = items.find((pod) => stateOf(pod)?.terminated !== undefined) ?? items[0] ?? this.#pod;
	}

	#openLog(): void {
		const state = stateOf(this.#pod);
		if (this.#log !== undefined || this.#pod === undefined || (state?.running === undefined && state?.terminated === undefined)) return;
		const { client, context, manifests } = this.#options;
		this.#log = new PodLog({
			client,
			path: `${podsPath(manifests.namespace)}/${this.#pod.metadata.name}/log?container=${container}`,
			delivered: context.captured("stdout").bytes,
			isTerminated: () => stateOf(this.#pod)?.terminated !== undefined,
			deliver: (text) => context.emit("stdout", text),
			onFailure: (error) => {
				this.#failure ??= { error };
				this.#wakeUp();
			},
		});
	}

	async #readLast(isGone: boolean): Promise<boolean> {
		const { context } = this.#options;
		const left = new Promise<void>((resolve) => context.signal.addEventListener("abort", () => resolve(), { once: true }));
		// The wait is limited, because the log is read forever if the watch of the pods has missed the end of the container.
		await Promise.race([this.#log?.done, ...(isGone ? [delay(lastOutput)] : [left])]);
		return true;
	}

	/** Deletes the job with its pod. Returns false if another process of the service now follows the job. */
	async #end(uid: string | undefined): Promise<boolean> {
		const { client, holder } = this.#options;
		try {
			const job = await client.ask<Job>({ path: this.#path });
			if (job.metadata.annotations?.[holderAnnotation] !== holder) return false;
			if (job.metadata.deletionTimestamp !== undefined) return true;
			const { resourceVersion = "" } = job.metadata;
			const preconditions = { ...(uid === undefined ? {} : { uid }), resourceVersion };
			await client.ask({ method: "DELETE", path: this.#path, body: { propagationPolicy: "Foreground", preconditions } });
		} catch (error) {
			// The job was deleted or changed, or the server is unreachable: the next poll checks again.
			if (!this.#making.isTransient(error) && !(error instanceof KubeRefusal && [404, 409].includes(error.status))) throw toError(error);
		}
		return true;
	}

	#giveUp(): boolean {
		if (this.#failure !== undefined) throw this.#failure.error;
		return false;
	}

	async #tellState(): Promise<void> {
		const reason = findPendingReason(this.#pod);
		if (reason !== undefined) await this.#tell(`${this.#options.manifests.name} waits, ${reason}`);
		// A job that was not started yet is suspended as well.
		const isSuspended = this.#job?.spec?.["suspend"] === true && this.#job.metadata.annotations?.[begunAnnotation] !== undefined;
		if (isSuspended) await this.#tell(`${this.#options.manifests.name} is suspended in the cluster`);
		const { running } = stateOf(this.#pod) ?? {};
		if (running === undefined) return;
		const node = this.#pod?.spec?.nodeName ?? "";
		this.#options.context.setRunnerInfo({ hostname: node });
		await this.#tell(`${this.#options.manifests.name} runs on ${node}`);
	}

	/** Writes a line to the output. Each line is written once, even if another process has resumed the run. */
	async #tell(line: string): Promise<void> {
		const { context } = this.#options;
		if (line === this.#told || context.captured("other").text.includes(`${line}\n`)) return;
		this.#told = line;
		try {
			await context.emit("other", `${line}\n`);
		} catch (error) {
			this.#failure ??= { error };
		}
	}

	get #path(): string {
		const { namespace, name } = this.#options.manifests;
		return `${jobsPath(namespace)}/${name}`;
	}

	#wakeUp(): void {
		this.#hasNews = true;
		this.#wake();
	}

	async #wait(milliseconds: number): Promise<void> {
		let timer: NodeJS.Timeout | undefined;
		if (!this.#hasNews) {
			await new Promise<void>((resolve) => {
				this.#wake = resolve;
				timer = setTimeout(resolve, milliseconds);
			});
		}
		clearTimeout(timer);
		this.#hasNews = false;
	}
}
