import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { type JsonObject, type Logger, type PluginContext, type RunResult, SvcError } from "../../core/contract/index.ts";
import { toManifests } from "./job-manifest.ts";
import { JobRun } from "./job-run.ts";
import { KubeClient, KubeRefusal } from "./kube-client.ts";
import { jobsPath, NamespaceWatch, secretsPath } from "./namespace-watch.ts";
import { assertOptions, type KubernetesJobOptions } from "./options.ts";
import type { JobContext } from "./parameters.ts";

/** Number of attempts to delete an ended job, and milliseconds between them. If all fail, the cluster deletes the job after its TTL. */
const [removals, betweenRemovals] = [5, 1_000];
/** Maximum bytes of a script. A Secret holds 1 MiB, and the variables need the rest. */
const maxScriptLength = 900_000;

/** Creates the runs of the runner. Shares one API client, and one watch for each namespace. */
export class JobRuns {
	readonly #options: KubernetesJobOptions;
	readonly #client: KubeClient;
	readonly #watches = new Map<string, NamespaceWatch>();
	/** Namespace of each job by live action id, until the end of the run is stored. */
	readonly #namespaces = new Map<string, string>();
	#namespace = "default";
	#logger: Logger | undefined;

	constructor(options: KubernetesJobOptions) {
		this.#options = options;
		this.#client = new KubeClient(options);
	}

	async check(): Promise<void> {
		assertOptions(this.#options);
		const client = new KubeClient(this.#options);
		await client.start();
		client.stop();
	}

	async start({ logger }: PluginContext): Promise<void> {
		assertOptions(this.#options);
		this.#logger = logger;
		this.#namespace = await this.#client.start();
	}

	async stop(): Promise<void> {
		await Promise.all([...this.#watches.values()].map((watch) => watch.stop()));
		this.#client.stop();
	}

	async run(context: JobContext): Promise<RunResult> {
		const run = await this.#createRun(context);
		return run.run();
	}

	async recover(context: JobContext, state: JsonObject): Promise<RunResult | undefined> {
		return (await this.#createRun(context)).recover(state);
	}

	async afterRun({ liveaction_id }: { readonly liveaction_id: string }): Promise<void> {
		const namespace = this.#namespaces.get(liveaction_id);
		if (namespace === undefined) return;
		this.#namespaces.delete(liveaction_id);
		const paths = [`${jobsPath(namespace)}/svc-${liveaction_id}`, `${secretsPath(namespace)}/svc-${liveaction_id}`];
		for (let tries = 1; ; tries++) {
			try {
				for (const path of paths) await this.#remove(path);
				return;
			} catch (error) {
				if (tries < removals) await delay(betweenRemovals);
				else return this.#logger?.warn("a finished job was not deleted from the cluster", { liveaction_id, namespace, error });
			}
		}
	}

	async #remove(path: string): Promise<void> {
		await this.#client.ask({ method: "DELETE", path, body: { propagationPolicy: "Background" } }).catch((error: unknown) => {
			if (!(error instanceof KubeRefusal && error.status === 404)) throw error;
		});
	}

	async #createRun(context: JobContext): Promise<JobRun> {
		const holder = randomUUID();
		const { entryPoint } = context;
		const script = entryPoint === "" ? undefined : await readScript(entryPoint);
		const manifests = toManifests({ context, options: this.#options, namespace: this.#namespace, script, holder });
		this.#namespaces.set(context.liveaction_id, manifests.namespace);
		return new JobRun({ context, client: this.#client, manifests, watch: this.#watchOf(manifests.namespace), holder });
	}

	#watchOf(namespace: string): NamespaceWatch {
		const found = this.#watches.get(namespace);
		if (found !== undefined) return found;
		if (this.#logger === undefined) throw new SvcError("SVC_RUNNER", 'runner "kubernetes-job" was not started');
		const { installation = "svc" } = this.#options;
		const watch = new NamespaceWatch({ client: this.#client, logger: this.#logger, namespace, installation });
		this.#watches.set(namespace, watch);
		return watch;
	}
}

async function readScript(path: string): Promise<string> {
	const text = await readFile(path, "utf8").catch((cause: unknown) => {
		throw new SvcError("SVC_RUNNER", `entry point "${path}" does not exist or is not a readable file`, { cause });
	});
	if (Buffer.byteLength(text) > maxScriptLength)
		throw new SvcError("SVC_RUNNER", `entry point "${path}" has more than ${maxScriptLength} bytes, the limit of a Secret`);
	return text;
}
