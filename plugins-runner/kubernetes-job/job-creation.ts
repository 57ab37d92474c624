import { setTimeout as delay } from "node:timers/promises";
import { type JsonObject, SvcError } from "../../core/contract/index.ts";
import { begunAnnotation, holderAnnotation, labels, type Manifests } from "./job-manifest.ts";
import { type KubeClient, KubeRefusal, KubeUnreachable } from "./kube-client.ts";
import type { Job } from "./kube-objects.ts";
import { jobsPath, secretsPath } from "./namespace-watch.ts";
import { isLeft, type JobContext } from "./parameters.ts";

export interface JobCreationOptions {
	readonly context: JobContext;
	readonly client: KubeClient;
	readonly manifests: Manifests;
	/** Id of the `JobRun`, written to an annotation of the job. The annotation shows which process of the service follows the job. */
	readonly holder: string;
	/** Writes a line to the output of the execution, for users who view it. */
	tell(line: string): Promise<void>;
}

/** Milliseconds between retries while the API server is unreachable. */
const tryAgain = 1_000;

/** Creates the job of a run, or finds the job that an earlier attempt created. */
export class JobCreation {
	readonly #options: JobCreationOptions;
	/** False only while it is certain that no job exists. */
	#mayHaveJob = false;

	constructor(options: JobCreationOptions) {
		this.#options = options;
	}

	/** Assumes that a job may exist. Called for a run that another process of the service has started. */
	expectJob(): void {
		this.#mayHaveJob = true;
	}

	/** Creates the job suspended, and its Secret. If they exist already, adopts them: the name is unique to the run. */
	async create(): Promise<Job> {
		const { client, manifests } = this.#options;
		const { namespace, name, secret, job } = manifests;
		await client.ask({ method: "POST", path: secretsPath(namespace), body: secret }).catch(ignore(409));
		this.#mayHaveJob = true;
		const made = await client.ask<Job>({ method: "POST", path: jobsPath(namespace), body: job }).catch(ignore(409));
		const found = made ?? (await this.#adopt());
		// Makes the job the owner of the Secret, so that the cluster deletes both together.
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

	/**
	 * Starts the suspended job. Must be called only after the id of the job is stored. A job that was started before stays unchanged, because
	 * an administrator may have suspended it.
	 */
	async begin({ metadata: { uid, annotations } }: Job): Promise<void> {
		if (annotations?.[begunAnnotation] !== undefined || this.#options.context.signal.aborted) return;
		// Writes the annotation and the start in one request. A crash between two requests could start the job twice, or never.
		await this.persist(() => this.#change(uid, { [begunAnnotation]: "true" }, { spec: { suspend: false } }));
	}

	/** Finds and adopts the job of a run that must end before a job is known. Returns undefined if no job exists. Never creates one. */
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
				`a job "${manifests.name}" that does not belong to this execution exists in namespace "${manifests.namespace}"`,
			);
		}
		return (await this.hold(found.metadata.uid)) ?? found;
	}

	/** Records in the annotation that this process follows the job. Returns undefined if the job no longer exists. */
	async hold(uid: string | undefined): Promise<Job | undefined> {
		return this.#change(uid, { [holderAnnotation]: this.#options.holder });
	}

	/**
	 * Repeats `work` until the server responds, because an unreachable server is not a failure of the run. Returns undefined if the service
	 * stops, or if the run is aborted while no job exists.
	 */
	async persist<T>(work: () => Promise<T>): Promise<T | undefined> {
		const { context } = this.#options;
		for (;;) {
			try {
				return await work();
			} catch (error) {
				if (!(error instanceof Error) || !this.isTransient(error)) throw toError(error);
				if (isLeft(context) || (context.signal.aborted && !this.#mayHaveJob)) return undefined;
				await this.#options.tell(`the cluster cannot be reached; the job waits: ${error.message}`);
			}
			await delay(tryAgain, undefined, { signal: context.signal }).catch(() => delay(tryAgain));
		}
	}

	/**
	 * Returns true if the error does not end the run. An expired token (401) does not affect a running job: the credential files are read
	 * again for each request.
	 */
	isTransient(error: unknown): boolean {
		return error instanceof KubeUnreachable || (this.#mayHaveJob && error instanceof KubeRefusal && error.status === 401);
	}

	/** Returns undefined if the job no longer exists, or if another job has its name. */
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
