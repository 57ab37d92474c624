import { join } from "node:path";
import { type PackPreparation, type PluginContext, type SensorContext, SvcError, stringifyJson } from "../../../core/contract/index.ts";
import { createBaseEnvironment, createLauncherAccess, type Launcher, toReturnCode } from "../../_process/index.ts";
import { parseReport, toDriverRequest } from "../driver-request.ts";
import { maxReportLength, type PythonEnd, type PythonEngine, type PythonIo, type PythonRequest, type PythonTool } from "../engine.ts";
import { pythonSource } from "../python-source.ts";
import { raceWithAbort } from "../race-with-abort.ts";
import { createRunEnvironment } from "../run-environment.ts";
import { runSensor } from "../sensor/run-sensor.ts";
import type { SensorRequest } from "../sensor/sensor-request.ts";
import { findInterpreter, type Interpreter } from "./interpreter.ts";
import { testRequirements } from "./read-requirements.ts";
import { Virtualenvs } from "./virtualenvs.ts";

const script = join(pythonSource, "run_cpython.py");

export interface CpythonOptions {
	/** Name or path of the interpreter. Default `python3`. */
	readonly python_binary?: string;
	/** Arguments for `pip install`, such as `["--index-url", "https://pypi.example.org/simple"]`. Default none. */
	readonly pip_arguments?: readonly string[];
	/**
	 * Packages installed into every virtualenv in addition to the pack's requirements. Default `["six"]`, which many packs use without
	 * declaring it.
	 */
	readonly base_requirements?: readonly string[];
	/**
	 * Refs of packs whose `requirements.txt` is ignored: they run with the interpreter and its packages. `*` stands for all. Default none.
	 */
	readonly packs_without_virtualenv?: readonly string[];
}

interface Started {
	readonly interpreter: Interpreter;
	readonly virtualenvs: Virtualenvs;
}

/** The Python command that runs code of a pack. */
interface Program {
	/** Path of the interpreter, of the machine or of the pack's virtualenv. */
	readonly file: string;
	readonly env: Record<string, string>;
}

/** Returns the engine that runs each action with the machine's Python, in a separate process and with the pack's virtualenv. */
export function createCpythonEngine(options: CpythonOptions = {}): PythonEngine {
	return new CpythonEngine(options);
}

class CpythonEngine implements PythonEngine {
	readonly name = "cpython";
	readonly #options: CpythonOptions;
	readonly #access = createLauncherAccess();
	#started: Started | undefined;

	constructor(options: CpythonOptions) {
		this.#options = options;
	}

	get version(): string {
		return this.#running().interpreter.version;
	}

	async check(): Promise<void> {
		await findInterpreter(this.#options.python_binary ?? "python3");
	}

	async start(context: PluginContext): Promise<void> {
		const { python_binary = "python3", pip_arguments: pipArguments = [], base_requirements: baseRequirements = ["six"] } = this.#options;
		const interpreter = await findInterpreter(python_binary);
		this.#access.start(context);
		const virtualenvs = new Virtualenvs({
			directory: join(context.dataDirectory, "virtualenvs"),
			launcher: this.#access.launcher,
			logger: context.logger,
			...{ interpreter, pipArguments, baseRequirements, leftOut: new Set(this.#options.packs_without_virtualenv) },
		});
		this.#started = { interpreter, virtualenvs };
	}

	async run(request: PythonRequest, io: PythonIo): Promise<PythonEnd> {
		const { virtualenvs } = this.#running();
		const end = await virtualenvs.use(request, (virtualenv) => {
			return runProcess(this.#access.launcher, this.#toProgram(virtualenv, request.environment), request, io);
		});
		return end === "aborted" ? { exitCode: -15 } : end;
	}

	async runSensor(request: SensorRequest, context: SensorContext): Promise<void> {
		const { launcher } = this.#access;
		const place = { ...request, signal: context.signal };
		await this.#running().virtualenvs.use(place, (virtualenv) => {
			return runSensor(
				{ launcher, ...this.#toProgram(virtualenv, createRunEnvironment(undefined, context.environment)) },
				request,
				context,
			);
		});
	}

	async runTool(tool: PythonTool): Promise<number> {
		const run = (virtualenv?: string) => runTool(this.#access.launcher, this.#toProgram(virtualenv), tool);
		const end = tool.loadsPack ? await this.#running().virtualenvs.use({ ...tool, files: testRequirements }, run) : await run();
		return end === "aborted" ? -15 : end;
	}

	async prepare({ pack, packDirectory, signal, emit }: PackPreparation): Promise<void> {
		const tell = (text: string) => emit("stdout", text);
		const built = await raceWithAbort(this.#running().virtualenvs.prepare({ pack, packDirectory, tell }), signal);
		if (built === "aborted") throw new SvcError("SVC_RUNNER", `all runs that needed the virtualenv of pack "${pack}" have ended`);
	}

	async stop(): Promise<void> {
		await this.#started?.virtualenvs.stop();
		await this.#access.stop();
	}

	#running(): Started {
		if (this.#started === undefined) throw new SvcError("SVC_RUNNER", "the engine cpython has not been started");
		return this.#started;
	}

	#toProgram(virtualenv: string | undefined, environment: PythonRequest["environment"] = {}): Program {
		const env: Record<string, string> = { ...createBaseEnvironment(), PYTHONUNBUFFERED: "1", ...environment };
		if (virtualenv === undefined) return { file: this.#running().interpreter.file, env };
		const path = `${join(virtualenv, "bin")}:${env["PATH"] ?? ""}`;
		return { file: join(virtualenv, "bin", "python"), env: { ...env, VIRTUAL_ENV: virtualenv, PATH: path } };
	}
}

async function runTool(launcher: Launcher, program: Program, tool: PythonTool): Promise<number> {
	const { script: name, packDirectory, request, signal, onReport, onOutput } = tool;
	const end = await launcher.run({
		...program,
		// `-B`: write no bytecode files into the working copy of a developer.
		args: ["-u", "-B", "-X", "utf8", join(pythonSource, name)],
		cwd: packDirectory,
		stdin: stringifyJson(request),
		signal,
		onStdout: onOutput,
		onStderr: onOutput,
		onReport,
	});
	return toReturnCode(end);
}

async function runProcess(launcher: Launcher, program: Program, request: PythonRequest, io: PythonIo): Promise<PythonEnd> {
	let report = "";
	const end = await launcher.run({
		...program,
		// `-X utf8`: the service reads UTF-8, so Python must write it in any locale.
		args: ["-u", "-X", "utf8", script],
		cwd: request.packDirectory,
		stdin: toDriverRequest(request),
		signal: request.signal,
		onStdout: (text) => io.emit("stdout", text),
		onStderr: (text) => io.emit("stderr", text),
		onReport(text) {
			report += text;
			if (report.length > maxReportLength)
				throw new SvcError("SVC_RUNNER", `the result is longer than ${maxReportLength / 1024 / 1024} MiB of JSON`);
		},
	});
	const parsed = parseReport(report);
	const exitCode = toReturnCode(end);
	if (parsed !== undefined) return { exitCode, report: parsed };
	const spoiled = report !== "" && exitCode === 0;
	return { exitCode, ...(spoiled ? { error: "the action wrote to descriptor 3, which is reserved for its result" } : {}) };
}
