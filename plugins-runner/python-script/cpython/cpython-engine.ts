import { join } from "node:path";
import { SvcError } from "../../../core/contract/index.ts";
import { createBaseEnvironment, createLauncherAccess, toExitNumber } from "../../_process/index.ts";
import { parseReport, toDriverRequest } from "../driver-request.ts";
import type { PythonEnd, PythonEngine, PythonIo, PythonRequest } from "../engine.ts";
import { pythonSource } from "../python-source.ts";
import { untilAborted } from "../until-aborted.ts";
import { findInterpreter, type Interpreter } from "./interpreter.ts";
import { Virtualenvs } from "./virtualenvs.ts";

/** Most characters of a result; more would fill the service's memory. */
const longestReport = 64 * 1024 * 1024;
const script = join(pythonSource, "run_cpython.py");

export interface CpythonOptions {
	/** Name or path of the interpreter. Default `python3`. */
	readonly python_binary?: string;
	/** Arguments for `pip install`, such as `["--index-url", "https://pypi.example.org/simple"]`. Default none. */
	readonly pip_arguments?: readonly string[];
	/** Installed into every virtualenv beside what the pack requires. Default `["six"]`, which many packs use without saying so. */
	readonly base_requirements?: readonly string[];
}

interface Started {
	readonly interpreter: Interpreter;
	readonly virtualenvs: Virtualenvs;
}

/** Runs each action with the machine's Python, in a process of its own and with the pack's virtualenv. */
export function createCpythonEngine(options: CpythonOptions = {}): PythonEngine {
	const access = createLauncherAccess();
	let started: Started | undefined;
	const running = (): Started => {
		if (started === undefined) throw new SvcError("SVC_RUNNER", "the engine cpython has not been started");
		return started;
	};
	return {
		name: "cpython",
		get version() {
			return running().interpreter.version;
		},
		async check() {
			await findInterpreter(options.python_binary ?? "python3");
		},
		async start(context) {
			const interpreter = await findInterpreter(options.python_binary ?? "python3");
			await access.start(context);
			const virtualenvs = new Virtualenvs({
				directory: join(context.dataDirectory, "virtualenvs"),
				interpreter,
				launcher: access.launcher,
				logger: context.logger,
				pipArguments: options.pip_arguments ?? [],
				baseRequirements: options.base_requirements ?? ["six"],
			});
			started = { interpreter, virtualenvs };
		},
		async run(request, io) {
			const { interpreter, virtualenvs } = running();
			// A run does not outlive its time because a virtualenv is still being built; the build goes on for the next one.
			const provided = await untilAborted(virtualenvs.provide(request.pack, request.packDirectory), request.signal);
			if (provided === "aborted") return { exitCode: -15 };
			const file = provided === undefined ? interpreter.file : join(provided, "bin", "python");
			return runProcess(access.launcher, { file, env: createEnvironment(request, provided) }, request, io);
		},
		async runTool({ script: name, pack, packDirectory, loadsPack, request, signal, onReport, onOutput }) {
			const { interpreter, virtualenvs } = running();
			const provided = loadsPack ? await virtualenvs.provide(pack, packDirectory) : undefined;
			const end = await access.launcher.run({
				file: provided === undefined ? interpreter.file : join(provided, "bin", "python"),
				// Nothing is written beside the files of whoever works at them.
				args: ["-u", "-B", "-X", "utf8", join(pythonSource, name)],
				cwd: packDirectory,
				env: withVirtualenv({ ...createBaseEnvironment(), PYTHONUNBUFFERED: "1" }, provided),
				stdin: JSON.stringify(request),
				signal,
				onStdout: onOutput,
				onStderr: onOutput,
				onReport,
			});
			return toExitNumber(end);
		},
		async stop() {
			await started?.virtualenvs.stop();
			await access.stop();
		},
	};
}

function createEnvironment({ environment }: PythonRequest, virtualenv: string | undefined): Record<string, string> {
	return withVirtualenv({ ...createBaseEnvironment(), PYTHONUNBUFFERED: "1", ...environment }, virtualenv);
}

function withVirtualenv(all: Record<string, string>, virtualenv: string | undefined): Record<string, string> {
	if (virtualenv === undefined) return all;
	return { ...all, VIRTUAL_ENV: virtualenv, PATH: `${join(virtualenv, "bin")}:${all["PATH"] ?? ""}` };
}

async function runProcess(
	launcher: ReturnType<typeof createLauncherAccess>["launcher"],
	program: { readonly file: string; readonly env: Record<string, string> },
	request: PythonRequest,
	io: PythonIo,
): Promise<PythonEnd> {
	let report = "";
	const end = await launcher.run({
		...program,
		// Text is UTF-8 whatever the locale says: that is what the service reads.
		args: ["-u", "-X", "utf8", script],
		cwd: request.packDirectory,
		stdin: toDriverRequest(request),
		signal: request.signal,
		onStdout: (text) => io.emit("stdout", text),
		onStderr: (text) => io.emit("stderr", text),
		onReport(text) {
			report += text;
			if (report.length > longestReport)
				throw new SvcError("SVC_RUNNER", `the result is longer than ${longestReport / 1024 / 1024} MiB of JSON`);
		},
	});
	const parsed = parseReport(report);
	const exitCode = toExitNumber(end);
	if (parsed !== undefined) return { exitCode, report: parsed };
	const spoiled = report !== "" && exitCode === 0;
	return { exitCode, ...(spoiled ? { error: "the action wrote to descriptor 3, over which its result leaves" } : {}) };
}
