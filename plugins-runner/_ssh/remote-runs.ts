import { type JsonObject, type PluginContext, type RunContext, type RunResult, SvcError } from "../../core/contract/index.ts";
import { assertNoNul, toEnvironment } from "../_shell/index.ts";
import { parseHosts } from "./host-list.ts";
import { type HostOutcome, type HostPart, runOnHost, type Work } from "./host-run.ts";
import { createFleetSink, createSingleSink } from "./output-sinks.ts";
import type { remoteParameterSchema } from "./remote-parameter-schema.ts";
import { type Ssh, type SshShare, shareSsh } from "./shared-pool.ts";
import { createTargetFinder } from "./target-finder.ts";

/** The command that a runner executes on the hosts of an execution. */
export interface RemoteRunOptions {
	readonly command: Work["command"];
	/** Variables that override the parameter `env`, but not the service's variables. */
	readonly environment: Readonly<Record<string, string>>;
}

/** Lifecycle of a runner for remote hosts. */
export interface RemoteRuns {
	start(context: PluginContext): Promise<void>;
	stop(): Promise<void>;
	run(context: RunContext<typeof remoteParameterSchema>, options: RemoteRunOptions): Promise<RunResult>;
}

export function createRemoteRuns(): RemoteRuns {
	let started: { readonly share: SshShare; readonly context: PluginContext } | undefined;
	return {
		async start(context) {
			started = { share: shareSsh(context), context };
		},
		async stop() {
			const { share } = started ?? {};
			started = undefined;
			await share?.release();
		},
		async run(context, options) {
			if (started === undefined) throw new SvcError("SVC_RUNNER", "the runner has not been started");
			return runFleet(await started.share.open(), started.context, { context, ...options });
		},
	};
}

interface FleetRun extends RemoteRunOptions {
	readonly context: RunContext<typeof remoteParameterSchema>;
}

async function runFleet({ pool, ssh2 }: Ssh, { options }: PluginContext, run: FleetRun): Promise<RunResult> {
	const { context, command } = run;
	const { runnerParameters: parameters, signal, logger } = context;
	const { remote_dir: remoteDirectory, max_parallel_actions: most, allow_partial_failure: isPartEnough } = options.ssh_runner;
	const hosts = parseHosts(parameters.hosts);
	const marker = ["SVC_ACTION_LIVEACTION_ID", context.liveaction_id] as const;
	const environment = {
		PYTHONUNBUFFERED: "1",
		...toExportable(parameters.env),
		...run.environment,
		...context.environment,
		[marker[0]]: marker[1],
	};
	const work: Work = {
		...{ pool, signal, logger, command, environment },
		sink: hosts.length === 1 ? createSingleSink(context) : createFleetSink(context),
		outputLimit: options.actionrunner.max_result_output,
		marker: marker.join("="),
		cwd: parameters.cwd || remoteDirectory,
		sudo: parameters.sudo ? { password: parameters.sudo_password || undefined } : undefined,
		timeout: parameters.timeout,
	};
	assertNoNul("cwd", work.cwd);
	const finder = await createTargetFinder({ ssh2, options, parameters });
	const directory = `${(parameters.dir || remoteDirectory).replace(/\/+$/, "")}/${context.liveaction_id}`;
	const parts = await Promise.all(
		// The index makes the directory unique, because two names may refer to the same machine.
		hosts.map(
			async (host, index): Promise<HostPart> => ({ key: host.key, target: await finder.find(host), directory: `${directory}-${index}` }),
		),
	);
	const outcomes = await runParts(work, parts, parameters.parallel ? most : 1);
	return toRunResult(outcomes, signal, isPartEnough);
}

/** Returns the variables of `env`. The host's shell exports them, so throws `SVC_INVALID` for a name that the shell does not allow. */
function toExportable(env: JsonObject | null | undefined): Record<string, string> {
	const environment = toEnvironment(env);
	const wrong = Object.keys(environment).find((name) => !/^[A-Za-z_][A-Za-z0-9_]*$/.test(name));
	if (wrong === undefined) return environment;
	throw new SvcError(
		"SVC_INVALID",
		`parameter "env": "${wrong}" is not a valid variable name; use letters, digits and _, and do not begin with a digit`,
	);
}

async function runParts(work: Work, parts: readonly HostPart[], atOnce: number): Promise<readonly HostOutcome[]> {
	const outcomes = new Map<HostPart, HostOutcome>();
	const waiting = [...parts];
	const worker = async () => {
		for (let part = waiting.shift(); part !== undefined; part = waiting.shift()) outcomes.set(part, await runOnHost(work, part));
	};
	const ends = await Promise.allSettled(Array.from({ length: Math.min(atOnce, parts.length) }, worker));
	for (const end of ends) if (end.status === "rejected") throw end.reason;
	return parts.flatMap((part) => outcomes.get(part) ?? []);
}

function toRunResult(outcomes: readonly HostOutcome[], signal: AbortSignal, isPartEnough: boolean): RunResult {
	const reasons = outcomes.flatMap(({ unreachable }) => unreachable ?? []);
	if (reasons.length === outcomes.length && !signal.aborted)
		throw new SvcError("SVC_RUNNER", `no host could be reached: ${reasons.join("; ")}`);
	const wins = outcomes.filter(({ succeeded }) => succeeded).length;
	const succeeded = !signal.aborted && (isPartEnough ? wins > 0 : wins === outcomes.length);
	const result: JsonObject = Object.fromEntries(outcomes.map((outcome) => [outcome.key, outcome.result]));
	return { succeeded, result };
}
