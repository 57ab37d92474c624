import { setTimeout as delay } from "node:timers/promises";
import { type JsonObject, SvcError } from "../../core/contract/index.ts";
import { begunAnnotation, holderAnnotation, labels, type Manifests } from "./job-manifest.ts";
import { type KubeClient, KubeRefusal, KubeUnreachable } from "./kube-client.ts";
import type { Job } from "./kube-objects.ts";
import { jobsPath, secretsPath } from "./namespace-watch.ts";
import { isLeft, type JobContext } from "./parameters.ts";

export interface JobMakingOptions {
	readonly context: JobContext;
	readonly client: KubeClient;
	readonly manifests: Manifests;
	/** Written to the job by whoever follows it. */
	readonly holder: string;
	/** Tell whoever looks at the execution. */
	tell(line: string): Promise<void>;
}

/** Milliseconds before what could not be reached is tried again. */
const tryAgain = 1_000;

/** Makes the job of a run, or finds the one that was made before. */
export class JobMaking {
	readonly #options: JobMakingOptions;
	/** False only while it is certain that there is no job. */
	#mayHaveJob = false;

	constructor(options: JobMakingOptions) {
		this.#options = options;
	}

	/** Of a run that another process of the service has begun. */
	expectJob(): void {
		this.#mayHaveJob = true;
	}

	/** The job, which may have been made before: its name is the run's alone. It does not begin by itself. */
	async create(): Promise<Job> {
		const { client, manifests } = this.#options;
		const { namespace, name, secret, job } = manifests;
		await client.ask({ method: "POST", path: secretsPath(namespace), body: secret }).catch(ignore(409));
		this.#mayHaveJob = true;
		const made = await client.ask<Job>({ method: "POST", path: jobsPath(namespace), body: job }).catch(ignore(409));
		const found = made ?? (await this.#adopt());
		// With the job the cluster removes its Secret, too.
		const owner = {
			apiVersion: "batch/v1",
			kind: "Job",
			name,
			uid: found.metadata.uid ?? "",
			controller: false,
			blockOwnerDeletion: false,
		};
		const body = { metadata: { ownerReferences: [owner] } };
		await client.ask({ method: "PATCH", path: `${secretsPath(namespace)}/${name}`, body }).catch(ignore(404));
		return found;
	}

	/** Let the job begin, as its id is stored now. One that has begun before is left as it is: somebody may have suspended it. */
	async begin({ metadata: { uid, annotations } }: Job): Promise<void> {
		if (annotations?.[begunAnnotation] !== undefined || this.#options.context.signal.aborted) return;
		// In one write: begun without the mark it would begin again after a crash, marked without having begun never.
		await this.persist(() => this.#change(uid, { [begunAnnotation]: "true" }, { spec: { suspend: false } }));
	}

	/** As `create`, for a run that is to end before it has a job. */
	async find(): Promise<Job | undefined> {
		const { client } = this.#options;
		return (await client.ask<Job>({ path: this.#path }).catch(ignore(404))) === undefined ? undefined : this.#adopt();
	}

	async #adopt(): Promise<Job> {
		const { client, context, manifests } = this.#options;
		const found = await client.ask<Job>({ path: this.#path });
		if (found.metadata.labels?.[labels.liveaction] !== context.liveaction_id) {
			throw new SvcError(
				"SVC_RUNNER",
				`there is a job "${manifests.name}" in namespace "${manifests.namespace}" that is not this execution's`,
			);
		}
		return (await this.hold(found.metadata.uid)) ?? found;
	}

	/** Say that this process follows the job now; undefined when it is gone. */
	async hold(uid: string | undefined): Promise<Job | undefined> {
		return this.#change(uid, { [holderAnnotation]: this.#options.holder });
	}

	/** Do it until the server has answered: nothing has failed for not being reached. Undefined where the service stops, or the run ends, before. */
	async persist<T>(work: () => Promise<T>): Promise<T | undefined> {
		const { context } = this.#options;
		for (;;) {
			try {
				return await work();
			} catch (error) {
				if (!(error instanceof Error) || !this.isTransient(error)) throw toError(error);
				if (isLeft(context) || (context.signal.aborted && !this.#mayHaveJob)) return undefined;
				await this.#options.tell(`the cluster cannot be reached, the job waits here: ${error.message}`);
			}
			await delay(tryAgain, undefined, { signal: context.signal }).catch(() => delay(tryAgain));
		}
	}

	/** A token that has run out says nothing of a job that goes on: the files are read again, and one day there is another one. */
	isTransient(error: unknown): boolean {
		return error instanceof KubeUnreachable || (this.#mayHaveJob && error instanceof KubeRefusal && error.status === 401);
	}

	/** Undefined when it is gone, or another one has its name. */
	#change(uid: string | undefined, annotations: JsonObject, more: JsonObject = {}): Promise<Job | undefined> {
		const body = { ...more, metadata: { ...(uid === undefined ? {} : { uid }), annotations } };
		return this.#options.client.ask<Job>({ method: "PATCH", path: this.#path, body }).catch(ignore(404, 409));
	}

	get #path(): string {
		const { namespace, name } = this.#options.manifests;
		return `${jobsPath(namespace)}/${name}`;
	}
}

function ignore(...statuses: readonly number[]): (error: unknown) => undefined {
	return (error) => {
		if (error instanceof KubeRefusal && statuses.includes(error.status)) return undefined;
		throw error;
	};
}

export function toError(error: unknown): unknown {
	return error instanceof KubeRefusal ? new SvcError("SVC_RUNNER", `the cluster refuses it: ${error.message}`, { cause: error }) : error;
}
