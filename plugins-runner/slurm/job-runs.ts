import { constants } from "node:fs";
import { access, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { type JsonObject, type PluginContext, type RunResult, SvcError } from "../../core/contract/index.ts";
import { assertNoNul, createScriptInput, toEnvironment } from "../_shell/index.ts";
import { readStagedFiles } from "../_ssh/staging.ts";
import { JobDirectory } from "./job-directory.ts";
import { JobPoller } from "./job-poller.ts";
import { JobRun } from "./job-run.ts";
import { assertOptions, type SlurmOptions } from "./options.ts";
import type { SlurmContext } from "./parameters.ts";
import { toArray, toSbatchArguments } from "./sbatch-arguments.ts";
import { SlurmCommands } from "./slurm-commands.ts";
import { type JobProgram, toBatchScript, toItemText, toStartScript } from "./start-script.ts";

/** Milliseconds (90 days) without a change after which the directory of a run is deleted at start: no service has resumed the run. */
const forgottenAfter = 90 * 86_400_000;

/** Creates the runs of the runner. They share the commands and the polling of Slurm. */
export class JobRuns {
	readonly #options: SlurmOptions;
	readonly #commands: SlurmCommands;
	#board: JobPoller | undefined;
	#limit = 0;

	constructor(options: SlurmOptions) {
		this.#options = options;
		this.#commands = new SlurmCommands(options);
	}

	async check(): Promise<void> {
		assertOptions(this.#options);
		this.#commands.assertThere();
		const { directory } = this.#options;
		const found = await stat(directory).catch(() => undefined);
		if (!found?.isDirectory()) throw new SvcError("SVC_CONFIG", `directory of runner "slurm": "${directory}" is not a directory`);
		await access(directory, constants.W_OK | constants.X_OK).catch((cause: unknown) => {
			throw new SvcError("SVC_CONFIG", `directory of runner "slurm": "${directory}" cannot be written to`, { cause });
		});
	}

	async start({ logger, options }: PluginContext): Promise<void> {
		await this.check();
		this.#board = new JobPoller(this.#commands, logger);
		this.#limit = options.actionrunner.max_result_output;
		await removeForgotten(this.#options.directory);
	}

	async stop(): Promise<void> {
		await this.#board?.stop();
	}

	async run(context: SlurmContext): Promise<RunResult> {
		// Validates the parameters before anything is stored or written, so that a refused run leaves nothing to remove.
		const job = this.#createRun(context);
		const { directory } = job;
		// A recovery that finds this state without an attempt starts from the beginning. That is safe, because each attempt is stored
		// before its submission.
		await context.saveState({});
		try {
			await directory.create();
			await writeJob(context, directory, this.#options);
			return await job.run.run();
		} catch (error) {
			if (!job.run.hasJob) await directory.remove();
			throw error;
		}
	}

	async recover(context: SlurmContext, state: JsonObject): Promise<RunResult | undefined> {
		if (state["attempt"] === undefined && !context.signal.aborted) return this.run(context);
		const { directory, run } = this.#createRun(context);
		return directory.exists() ? run.recover(state) : undefined;
	}

	async afterRun({ liveaction_id }: { readonly liveaction_id: string }): Promise<void> {
		await this.#directoryOf(liveaction_id).remove();
	}

	#directoryOf(liveactionId: string): JobDirectory {
		return new JobDirectory(join(this.#options.directory, liveactionId));
	}

	#createRun(context: SlurmContext) {
		if (this.#board === undefined) throw new SvcError("SVC_RUNNER", 'runner "slurm" was not started');
		const { runnerParameters, liveaction_id } = context;
		const directory = this.#directoryOf(liveaction_id);
		const array = toArray(runnerParameters, this.#options);
		const args = toSbatchArguments(runnerParameters, this.#options);
		const outputs = (["stdout", "stderr"] as const).map((type) => {
			const path = directory.output(type, undefined);
			return `--${type === "stdout" ? "output" : "error"}=${array === undefined ? path : `${path}.%a`}`;
		});
		const run = new JobRun({
			context,
			directory,
			request: {
				args: [...args, ...(array === undefined ? [] : [array.argument]), ...outputs, `--chdir=${directory.files}`],
				tasks: array?.items.length,
				comment: `${this.#options.installation ?? "svc"}/${liveaction_id}`,
				script: (attempt) => toBatchScript(directory.path, attempt),
			},
			commands: this.#commands,
			board: this.#board,
			killGrace: (this.#options.kill_grace ?? 5) * 1_000,
			limit: this.#limit,
		});
		return { directory, run };
	}
}

/** Writes all files that the job needs to the directory of the run. */
async function writeJob(context: SlurmContext, directory: JobDirectory, options: SlurmOptions): Promise<void> {
	const { runnerParameters, environment } = context;
	const program = await toProgram(context, directory);
	const given = { ...toEnvironment(runnerParameters.env), ...program.environment, ...environment };
	for (const name of ["stdout", "stderr"]) await directory.touch(name);
	const array = toArray(runnerParameters, options);
	for (const [index, item] of (array?.items ?? []).entries()) if (item !== null) await directory.write(`item.${index}`, toItemText(item));
	// Written last: the directory counts as complete if this file exists.
	await directory.write("start", toStartScript(directory.path, { ...program, environment: given }));
}

async function toProgram(context: SlurmContext, directory: JobDirectory): Promise<JobProgram> {
	const { entryPoint, runnerParameters } = context;
	const { cmd } = runnerParameters;
	const cwd = runnerParameters.cwd || directory.files;
	assertNoNul("cwd", cwd);
	if (entryPoint === "") {
		if (!cmd) throw new SvcError("SVC_INVALID", 'parameter "cmd" is required, because the action has no entry point');
		assertNoNul("cmd", cmd);
		return { command: { text: cmd }, cwd, environment: {} };
	}
	if (cmd) throw new SvcError("SVC_INVALID", 'parameter "cmd" is only allowed for actions without an entry point');
	const { args, environment } = createScriptInput(context, {});
	const script = await directory.stage(await readStagedFiles(entryPoint));
	return { command: { words: [script, ...args] }, cwd, environment };
}

async function removeForgotten(directory: string): Promise<void> {
	for (const name of await readdir(directory)) {
		// Directories of runs are named by the id of a live action. Other entries do not belong to the service.
		if (!/^[0-9a-f]{24}$/.test(name)) continue;
		const found = await stat(join(directory, name)).catch(() => undefined);
		if (found !== undefined && found.mtimeMs < Date.now() - forgottenAfter)
			await rm(join(directory, name), { recursive: true, force: true });
	}
}
