import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { OptionsInput, ParameterDefinitions, Runner, RunnerPlugin, RunResult } from "../../core/contract/index.ts";
import { createRunContext, type RunContextOptions, silentLogger, type TestRunContext } from "../../core/testing/run-context.ts";
import { createOptions } from "../../core/testing/service-options.ts";
import { missing, requires, type SkippableTest } from "../../core/testing/test-requirements.ts";
import { KeptSnapshot } from "./pyodide/kept-snapshot.test-support.ts";

/** uvu's `test` with its hooks. */
export interface Test {
	(name: string, run: () => Promise<void> | void): void;
	before(run: () => Promise<void> | void): void;
	after(run: () => Promise<void> | void): void;
}

/** `test` for what needs a Python on the machine: skipped by name where there is none. */
export function withPython(test: Test & SkippableTest): Test {
	const requirement = { command: "python3" };
	const { test: wanted } = requires(test, requirement);
	const before = missing(requirement) === undefined ? test.before : () => {};
	return Object.assign((name: string, run: () => Promise<void> | void) => wanted(name, async () => run()), { before, after: test.after });
}

let interpreter: string | undefined;

/** The interpreter that `python3` starts: where the latter is a wrapper around it, each start of a runner takes several times as long. */
export function toInterpreter(): string {
	interpreter ??= spawnSync("python3", ["-c", "import sys; print(sys.executable)"]).stdout?.toString().trim() || "python3";
	return interpreter;
}

/** A pack directory that lives as long as the tests of the file. */
export class PythonPack {
	readonly directory = realpathSync(mkdtempSync(join(tmpdir(), "svc pack ")));

	constructor(test: Pick<Test, "after">) {
		test.after(() => rmSync(this.directory, { recursive: true }));
	}

	/** Write a file below the pack's directory. */
	write(path: string, text: string): void {
		const file = join(this.directory, path);
		mkdirSync(dirname(file), { recursive: true });
		writeFileSync(file, text);
	}

	/** Write an action file; what a run of it needs. */
	action(name: string, text: string): RunContextOptions {
		this.write(join("actions", name), text);
		return { entryPoint: join(this.directory, "actions", name), packDirectory: this.directory };
	}

	/** An action whose method `run` has this body. */
	body(name: string, body: string): RunContextOptions {
		return this.action(`${name}.py`, toAction(body));
	}
}

/** Text of an action file with one class, from the body of its method `run`. */
export function toAction(body: string): string {
	const lines = body.trim().split("\n");
	return `import os, sys, time\nfrom svc.actions import Action\n\nclass Test(Action):\n    def run(self, **parameters):\n${lines.map((line) => `        ${line}\n`).join("")}`;
}

export interface Ran extends RunResult {
	readonly run: TestRunContext;
}

export interface StartedRunner {
	/** A context for the runner, to abort it or to wait for output. */
	context(options: RunContextOptions): TestRunContext;
	run(options: RunContextOptions | TestRunContext): Promise<Ran>;
	/** As an installation would: `tell` takes what is said. */
	prepare(pack: string, packDirectory: string, tell: (text: string) => void): Promise<void>;
	/** As a restart of the service would. */
	restart(): Promise<void>;
	readonly dataDirectory: string;
	/** A directory whose modules packs may import. */
	readonly modules: string;
}

/** As `useRunner`, for a runner whose engine is Pyodide: it starts from a snapshot that an earlier test file made. */
export function usePyodide(test: Pick<Test, "before" | "after">, plugin: RunnerPlugin): StartedRunner {
	const dataDirectory = createDataDirectory();
	const snapshot = new KeptSnapshot(dataDirectory);
	test.before(() => void snapshot.lend());
	test.after(() => snapshot.keep());
	return useRunner(test, plugin, { dataDirectory });
}

const createDataDirectory = () => mkdtempSync(join(tmpdir(), "svc-python-"));

/** One runner for all tests of a file, started as the host would. */
export function useRunner(
	test: Pick<Test, "before" | "after">,
	plugin: RunnerPlugin,
	{ options, dataDirectory = createDataDirectory() }: { readonly options?: OptionsInput; readonly dataDirectory?: string } = {},
): StartedRunner {
	const modules = mkdtempSync(join(tmpdir(), "svc-modules-"));
	let runner: Runner<ParameterDefinitions> = plugin.create();
	const start = () =>
		runner.start?.({
			logger: silentLogger,
			clock: { now: () => Date.now() * 1000 },
			dataDirectory,
			nodeId: `test-${process.pid}`,
			options: createOptions(options),
			pythonPaths: [modules],
		});
	test.before(start);
	test.after(async () => {
		await runner.stop?.();
		for (const directory of [dataDirectory, modules]) rmSync(directory, { recursive: true, force: true });
	});
	const context = (options: RunContextOptions) => createRunContext(runner, options);
	return {
		context,
		dataDirectory,
		modules,
		async run(options) {
			const run = "savedState" in options ? options : context(options);
			return { ...(await runner.run(run)), run };
		},
		async prepare(name, packDirectory, tell) {
			const { signal } = new AbortController();
			await runner.prepare?.({ pack: name, packDirectory, signal, emit: async (_type, text) => tell(text) });
		},
		async restart() {
			await runner.stop?.();
			runner = plugin.create();
			await start();
		},
	};
}
