import { runTestFile, type TestRun, toRunnable } from "./run-test-file.ts";
import type { Job } from "./test-plan.ts";
import { TestProcess } from "./test-process.ts";

/**
 * Runs test files one after another. Files that need the same environment share a process, which saves starting and warming up one for each
 * file: a third of the processor's time of the suite. A file with the comment `// test-process: own` gets a process for itself.
 */
export class Lane {
	#process: TestProcess | undefined;
	#key = "";
	#names: string[] = [];
	readonly #hanging: string[] = [];

	async run({ file, name, timeout, isAlone }: Job, environment: NodeJS.ProcessEnv): Promise<TestRun> {
		if (isAlone) return runTestFile(file, timeout, environment);
		const { isBuilt } = toRunnable(file);
		const key = JSON.stringify({ environment, isBuilt });
		if (key !== this.#key || !this.#process?.isUsable) await this.#endProcess();
		this.#key = key;
		this.#process ??= new TestProcess(environment, isBuilt);
		this.#names.push(name);
		return this.#process.run(file, timeout);
	}

	/** Ends what it has started. Gives the files of each process that did not end by itself. */
	async end(): Promise<readonly string[]> {
		await this.#endProcess();
		return this.#hanging;
	}

	async #endProcess(): Promise<void> {
		const didEnd = await this.#process?.end();
		if (didEnd === false) this.#hanging.push(this.#names.join(", "));
		this.#process = undefined;
		this.#names = [];
	}
}
