import { existsSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { rootCertificates } from "node:tls";
import type { WorkerOptions } from "../../../core/cli.ts";
import { type DialectPlugin, type Options, type Runner, type RunnerPlugin, SvcError } from "../../../core/contract/index.ts";
import {
	createLogger,
	Dialects,
	findConfig,
	findListProblems,
	findProxy,
	getSystemClock,
	loadConfig,
	prepareDataDirectory,
	resolveOptions,
	type ServiceLogger,
	toConfigError,
	version,
} from "../../../core/feature.ts";
import { PackCache } from "./pack-cache.ts";
import { ServiceClient } from "./service-client.ts";
import { Worker } from "./worker.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Implements `svc worker`: carries out runs of a service until INT or TERM. After the first signal, runs may continue for at most `grace`
 * seconds. A second signal ends them at once. Returns 0 after an orderly stop.
 */
export async function runWorker(given: WorkerOptions, env: Environment): Promise<number> {
	const { options, runners, dialects } = await readConfig(given, env);
	const logger = createLogger(options.log, { debug: options.system.debug });
	logger.addSecret(given.apiKey, { always: true });
	const dataDirectory = resolve(given.dataDirectory);
	await prepareDataDirectory(dataDirectory);
	const connection = new ServiceClient({
		apiUrl: given.apiUrl,
		apiKey: given.apiKey,
		ca: readAuthorities(given.ca),
		proxy: findProxy(given.apiUrl, env),
	});
	const started: Runner[] = [];
	try {
		for (const [name, runner] of runners) {
			started.push(runner);
			const context = { logger: logger.withTag(`runner ${name}`), clock: getSystemClock(), dataDirectory, nodeId: given.name, options };
			await runner.check?.({ ...context, pythonPaths: dialects.pythonPaths });
			await runner.start?.({ ...context, pythonPaths: dialects.pythonPaths });
		}
		return await work({ given, connection, runners, logger, dataDirectory });
	} finally {
		connection.close();
		for (const runner of started.reverse())
			await runner.stop?.()?.catch((error: unknown) => logger.error("runner did not stop cleanly", { error }));
	}
}

interface Work {
	readonly given: WorkerOptions;
	readonly connection: ServiceClient;
	readonly runners: ReadonlyMap<string, Runner>;
	readonly logger: ServiceLogger;
	readonly dataDirectory: string;
}

async function work({ given, connection, runners, logger, dataDirectory }: Work): Promise<number> {
	const { name, labels, places, grace, apiUrl } = given;
	let refuse: (error: Error) => void = () => {};
	const refused = new Promise<never>((_resolve, reject) => {
		refuse = reject;
	});
	const worker = new Worker({
		...{ connection, runners, logger, name, labels, places, version },
		folders: new PackCache(join(dataDirectory, "packs"), connection),
		serviceUrl: apiUrl.replace(/\/v1$/, ""),
		onRefused: refuse,
	});
	worker.start();
	logger.info("worker accepts jobs", { worker: name, labels, runners: [...runners.keys()], service: apiUrl });
	const asked = onSignal((isAgain) => (isAgain ? worker.abort() : worker.stop(grace * 1_000)));
	try {
		await Promise.race([asked.done, refused]);
		return 0;
	} catch (error) {
		await worker.abort();
		throw error;
	} finally {
		asked.forget();
	}
}

/** Milliseconds for which a second signal counts as the same: npm forwards a signal that the terminal has already sent. */
const repeatTime = 500;

function onSignal(stop: (isAgain: boolean) => Promise<void>): { readonly done: Promise<void>; forget(): void } {
	let first: number | undefined;
	let forget = () => {};
	const done = new Promise<void>((resolve, reject) => {
		const listener = () => {
			if (first !== undefined && performance.now() - first < repeatTime) return;
			const isAgain = first !== undefined;
			first ??= performance.now();
			stop(isAgain).then(resolve, reject);
		};
		process.on("SIGINT", listener).on("SIGTERM", listener);
		forget = () => void process.off("SIGINT", listener).off("SIGTERM", listener);
	});
	return { done, forget };
}

async function readConfig(
	{ config, runners: names }: WorkerOptions,
	env: Environment,
): Promise<{ readonly options: Options; readonly runners: ReadonlyMap<string, Runner>; readonly dialects: Dialects }> {
	const file = findConfig(config);
	const loaded: Readonly<Record<string, unknown>> = { ...(await loadConfig(file)) };
	const problems = [...findListProblems("runners", "runner", loaded["runners"])];
	const options = resolveOptions(loaded, env, problems);
	if (problems.length > 0) throw toConfigError(problems);
	const plugins = loaded["runners"] as readonly RunnerPlugin[];
	const unknown = names?.find((name) => !plugins.some((plugin) => plugin.name === name));
	if (unknown !== undefined) {
		throw new SvcError(
			"SVC_CONFIG",
			`--runners: "${unknown}" is not one of the runners of "${file}": ${plugins.map(({ name }) => name).join(", ")}`,
		);
	}
	const made = plugins
		.filter(({ name }) => names?.includes(name) ?? true)
		.map((plugin) => [plugin.name, plugin.create() as Runner] as const);
	// Workflows start other executions, which a worker cannot do, so they run on nodes of the service.
	const runners = new Map(made.filter(([, runner]) => runner.capabilities.workflow !== true));
	const known = Array.isArray(loaded["dialects"]) ? (loaded["dialects"] as readonly DialectPlugin[]).map((one) => one.create()) : [];
	return { options, runners, dialects: new Dialects(known) };
}

/** Returns the certificates in the file and those that Node.js ships, because a list passed to Node.js replaces its own. */
function readAuthorities(file: string | undefined): readonly string[] | undefined {
	if (file === undefined) return undefined;
	const path = resolve(file);
	if (!existsSync(path)) throw new SvcError("SVC_CONFIG", `--ca: "${path}" (in ${dirname(path)}) does not exist`);
	return [...rootCertificates, readFileSync(path, "utf8")];
}
