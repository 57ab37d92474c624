import { dirname, relative, sep } from "node:path";
import type { JsonObject, RunContext, RunResult } from "../../core/contract/index.ts";
import {
	type ContainerEnd,
	type ContainerWork,
	OptInContainers,
	toArchive,
	toError,
	toPackEntries,
	toShellVariables,
} from "../_container/index.ts";
import { parseReport, toDriverRequest } from "./driver-request.ts";
import { maxReportLength, type PythonEnd, type PythonRequest } from "./engine.ts";
import { pythonSource } from "./python-source.ts";
import { toRunResult } from "./run-result.ts";

type Context = RunContext & {
	readonly runnerParameters: { readonly svc_container?: string | null | undefined; readonly timeout: number };
};

/** Directory of the run's files in its container. */
const directory = "/svc";
/** Path of the file that receives descriptor 3; it is read after the container has ended. */
const report = "end/report";

/** Runs Python actions in containers, with the `python3` of the image. */
export class ContainerPython extends OptInContainers {
	async run(context: Context, toRequest: () => Promise<PythonRequest>): Promise<RunResult> {
		return this.#toResult(context, await this.runWork(context, async () => toWork(context, await toRequest())));
	}

	async recover(context: Context, state: JsonObject, toRequest: () => Promise<PythonRequest>): Promise<RunResult | undefined> {
		const end = await this.recoverWork(context, state, async () => toWork(context, await toRequest()));
		return end === undefined ? undefined : this.#toResult(context, end);
	}

	async #toResult(context: Context, end: ContainerEnd): Promise<RunResult> {
		const left: RunResult = { succeeded: false, status: "running", result: {} };
		if (end === "left") return left;
		const text = typeof end === "string" ? undefined : await this.read(context, `${directory}/${report}`, maxReportLength);
		if (text === "left") return left;
		const engine = `container ${context.runnerParameters.svc_container}`;
		return toRunResult(context, engine, context.runnerParameters.timeout, toPythonEnd(context, end, text));
	}
}

function toPythonEnd({ signal }: Context, end: Exclude<ContainerEnd, "left">, text: Buffer | undefined): PythonEnd {
	const exitCode = typeof end === "string" ? -1 : end.exitCode;
	const parsed = text === undefined || text.length === 0 ? undefined : parseReport(text.toString());
	if (parsed !== undefined) return { exitCode, report: parsed };
	const error = exitCode === noPython ? "the image has no python3, or python3 cannot be run" : toError(end, signal);
	return { exitCode, ...(error === undefined ? {} : { error }) };
}

/** Exit code of a shell that cannot find a program. */
const noPython = 127;

/**
 * Returns the container's program and files. Variables and parameters are passed in files, because any user who may inspect containers can
 * read a container's description.
 */
async function toWork({ runnerParameters }: Context, request: PythonRequest): Promise<ContainerWork> {
	const { environment, packDirectory, entryPoint, pythonPaths } = request;
	const place = (path: string) => `${directory}/${path}`;
	const inside = {
		...request,
		packDirectory: place("pack"),
		entryPoint: `${place("pack")}/${relative(packDirectory, entryPoint).split(sep).join("/")}`,
		pythonPaths: pythonPaths.map((_path, index) => place(`modules-${index}`)),
	};
	const modules = await Promise.all(pythonPaths.map((path, index) => toPackEntries(path, `modules-${index}`)));
	const archive = toArchive([
		{ path: "environment", mode: 0o444, content: Buffer.from(toShellVariables(environment)) },
		{ path: "request", mode: 0o444, content: Buffer.from(toDriverRequest(inside)) },
		// The image may define any user, and that user must be able to write here.
		{ path: dirname(report), mode: 0o777 },
		{ path: report, mode: 0o666, content: Buffer.alloc(0) },
		...(await toPackEntries(pythonSource, "python")),
		...(await toPackEntries(packDirectory, "pack")),
		...modules.flat(),
	]);
	const begin = `. ${place("environment")}; cd ${place("pack")} && exec python3 -u -B -X utf8 ${place("python/run_cpython.py")}`;
	const entrypoint = ["/bin/sh", "-c", `${begin} < ${place("request")} 3> ${place(report)}`];
	return {
		program: {
			image: String(runnerParameters.svc_container),
			imageParameter: "svc_container",
			environment: {},
			directory,
			entrypoint,
			command: [],
		},
		limits: {},
		archive,
	};
}
