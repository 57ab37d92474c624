import { stat } from "node:fs/promises";
import { dirname } from "node:path";
import {
	defineRunner,
	type PackPreparation,
	type RunContext,
	type RunResult,
	SvcError,
	stringifyJson,
	toErrorMessage,
	warnIfMissing,
} from "../../core/contract/index.ts";
import { containerParameters, type ShellContainerOptions } from "../_container/index.ts";
import { contentParameters, PackRevisions } from "../_content/index.ts";
import { ContainerPython } from "./container-python.ts";
import { type CpythonOptions, createCpythonEngine } from "./cpython/cpython-engine.ts";
import type { EngineName, PythonEngine, PythonIo, PythonRequest } from "./engine.ts";
import { Engines } from "./engines.ts";
import { toLibraryFolders } from "./library-folders.ts";
import { createPackTools } from "./pack-tools/index.ts";
import { createPyodideEngine, type PyodideOptions } from "./pyodide/index.ts";
import { createRunEnvironment } from "./run-environment.ts";
import { toRunResult } from "./run-result.ts";
import { PythonPackSensors } from "./sensor/pack-sensors.ts";

const logLevels = ["AUDIT", "CRITICAL", "ERROR", "WARNING", "INFO", "DEBUG"] as const;

const parameters = {
	env: { type: "object", description: "Environment variables for the action." },
	timeout: { type: "integer", default: 600, description: "Seconds after which the action is ended." },
	log_level: {
		type: "string",
		enum: logLevels,
		default: "DEBUG",
		description: "Minimum level of messages that the logger of the action writes.",
	},
	...contentParameters,
	...containerParameters,
	debug: { type: "boolean", default: false, description: "True to request verbose output; sets `SVC_ACTION_DEBUG`." },
	svc_engine: {
		type: "string",
		enum: ["auto", "cpython", "pyodide"],
		default: "auto",
		// Reserved, because a user who may only start the action must not be able to run it outside the sandbox.
		reserved: true,
		description: "Python engine that runs the action; `auto`: chosen by the runner.",
	},
} as const;

export interface PythonScriptOptions extends CpythonOptions, ShellContainerOptions {
	/** Engine that runs the actions. `auto`: cpython if a suitable `python3` is found at start, otherwise pyodide. Default `auto`. */
	readonly engine?: EngineName | "auto";
	readonly pyodide?: PyodideOptions;
}

/** Runs actions that are Python classes. */
export const pythonScript = defineRunner("python-script", (options: PythonScriptOptions) => {
	const engines = new Engines({
		cpython: () => createCpythonEngine(options),
		pyodide: () => createPyodideEngine(options.pyodide),
	});
	const containers = new ContainerPython(options);
	const versions = new PackRevisions("python-script");
	const packSensors = new PythonPackSensors(engines, options.engine ?? "auto");
	let defaultLevel: string = "DEBUG";
	let libraries: readonly string[] = [];
	let pythonPaths: readonly string[] = [];
	const request = async (context: Context, files: Pick<Context, "entryPoint" | "packDirectory">) => {
		await assertFile(files.entryPoint);
		return toRequest({ ...context, ...files }, { defaultLevel, libraries, pythonPaths });
	};
	const laidOut = async (context: Context) => request(context, await versions.place(context));
	return {
		description: "Runs a Python class of a pack.",
		parameters,
		capabilities: { streaming: true, cancellation: true, recovery: options.containers !== undefined },
		outputKey: "result",
		entryPoint: "required",
		async check() {
			containers.check();
			await engines.check(options.engine ?? "auto");
		},
		async start(context) {
			libraries = toLibraryFolders(context.options);
			pythonPaths = context.pythonPaths ?? [];
			defaultLevel = context.options.actionrunner.python_runner_log_level;
			const engine = options.engine ?? "auto";
			const pyodide = { name: "pyodide", off: "the Python engine pyodide", resolve: () => import.meta.resolve("pyodide") };
			if (engine === "auto") warnIfMissing(pyodide, context.logger);
			containers.start(context);
			await versions.start(context);
			packSensors.start(context);
			await engines.start(context, engine);
		},
		packSensors,
		// If containers are required, the images must contain the requirements of packs. Installing them here would run code of their
		// authors on this machine.
		prepare: async (pack) => (containers.isRequired ? undefined : preparePack(engines, options.engine ?? "auto", pack)),
		async stop() {
			await containers.stop();
			await engines.stop();
		},
		packTools: createPackTools(engines, () => pythonPaths),
		async run(context) {
			if (containers.isFor(context)) return versions.during(context, () => containers.run(context, () => laidOut(context)));
			return versions.use(context, async (files) =>
				runAction(await engines.get(context.runnerParameters.svc_engine), context, await request(context, files)),
			);
		},
		recover: (context, state) =>
			versions.during(context, async () =>
				containers.isOf(state) ? containers.recover(context, state, () => laidOut(context)) : undefined,
			),
		afterRun: (run) => containers.forget(run),
	};
});

interface RunSettings extends Pick<PythonRequest, "libraries" | "pythonPaths"> {
	readonly defaultLevel: string;
}

type Context = RunContext<typeof parameters>;

function toRequest(context: Context, { defaultLevel, libraries, pythonPaths }: RunSettings): PythonRequest {
	const { env, log_level } = context.runnerParameters;
	return {
		executionId: context.execution_id,
		entryPoint: context.entryPoint,
		packDirectory: context.packDirectory ?? dirname(context.entryPoint),
		libraries,
		pythonPaths,
		pack: context.pack,
		user: context.user,
		parameters: context.actionParameters,
		config: context.packConfig,
		environment: createRunEnvironment(env, context.environment),
		logLevel: log_level === "DEBUG" ? defaultLevel : log_level,
		signal: context.signal,
	};
}

async function runAction(engine: PythonEngine, context: Context, request: PythonRequest): Promise<RunResult> {
	const end = await engine.run(request, {
		emit: (type, text) => context.emit(type, text),
		service: createServiceCall(context.environment),
	});
	return toRunResult(context, `${engine.name} ${engine.version}`, context.runnerParameters.timeout, end);
}

/**
 * Builds the virtualenv of a pack. If pyodide is the only engine, nothing is installed, and actions cannot import the packages that the
 * pack requires.
 */
async function preparePack(engines: Engines, choice: EngineName | "auto", pack: PackPreparation): Promise<void> {
	if (choice === "pyodide") return;
	const engine = await engines.get("cpython").catch((error: unknown) => {
		if (choice === "cpython") throw error;
	});
	await engine?.prepare?.(pack);
}

async function assertFile(path: string): Promise<void> {
	if (path === "") throw new SvcError("SVC_RUNNER", "entry_point: required, the file of the Python action");
	const file = await stat(path).catch(() => undefined);
	if (file === undefined || !file.isFile()) throw new SvcError("SVC_RUNNER", `entry point "${path}" does not exist or is not a file`);
}

/** Milliseconds before a call of the service's API fails. */
const answerTime = 60_000;

/** Returns a function that calls the service's API with the token in the environment of the run. */
function createServiceCall(environment: Readonly<Record<string, string>>): PythonIo["service"] {
	return async ({ method, path, body }) => {
		try {
			const answer = await fetch(`${environment["SVC_ACTION_API_URL"] ?? ""}${path}`, {
				method,
				headers: { "Content-Type": "application/json", "X-Auth-Token": environment["SVC_ACTION_AUTH_TOKEN"] ?? "" },
				...(body === undefined ? {} : { body: stringifyJson(body) }),
				signal: AbortSignal.timeout(answerTime),
			});
			return { status: answer.status, text: await answer.text() };
		} catch (error) {
			return { status: 0, text: `the service cannot be reached: ${toErrorMessage(error)}` };
		}
	};
}
