import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import type { ParameterDefinitions, Runner } from "../../core/contract/index.ts";
import { KillableRun } from "../../core/testing/external-jobs/killable-run.ts";
import { createRunContext, type RunContextOptions, type TestRunContext } from "../../core/testing/run-context.ts";
import { createOptions } from "../../core/testing/service-options.ts";
import type { TestEngine } from "../_container/test-engine.test-support.ts";
import { type ContainerOptions, containerRunner } from "./index.ts";

type Given = RunContextOptions<ParameterDefinitions>;

/** The runner as a service has it that is started, killed and started again on the same data, and everything that it writes to its log. */
export class Service {
	readonly logged: string[] = [];
	runner: Runner;
	readonly #options: ContainerOptions;
	readonly #directory: string;
	readonly #started: Runner[] = [];

	private constructor(options: ContainerOptions, directory: string) {
		this.#options = options;
		this.#directory = directory;
		this.runner = containerRunner(options).create();
	}

	static async with(options: ContainerOptions, use: (service: Service) => Promise<void>): Promise<void> {
		const directory = await mkdtemp(join(tmpdir(), "svc-container-"));
		const service = new Service(options, directory);
		try {
			await service.restart();
			await use(service);
		} finally {
			for (const runner of service.#started) await runner.stop?.();
			await rm(directory, { recursive: true, force: true });
		}
	}

	/** As after a death: the runner of before is not told. */
	async restart(): Promise<void> {
		const log = (message: string, fields = {}) => void this.logged.push(`${message} ${inspect(fields, { depth: 8 })}`);
		const runner: Runner = containerRunner(this.#options).create();
		await runner.start?.({
			logger: { debug: log, info: log, warn: log, error: log },
			clock: { now: () => Date.now() * 1_000 },
			dataDirectory: this.#directory,
			nodeId: "tests",
			options: createOptions(),
		});
		this.#started.push(runner);
		this.runner = runner;
	}

	/** @param dieAt moment at which the service dies (`KillableRun`) */
	begin(given: Given, dieAt?: number) {
		const run = new KillableRun(createRunContext(this.runner, given), dieAt);
		const end = this.runner.run(run.context);
		end.catch(() => {});
		return { context: run.context, end, death: run.death };
	}

	/** As `begin`, for a run that is gone on with. */
	goOn(given: Given, before: TestRunContext, dieAt: number) {
		const run = new KillableRun(createRunContext(this.runner, { ...given, after: before }), dieAt);
		const end = this.runner.recover?.(run.context, before.savedState() ?? {});
		end?.catch(() => {});
		return { context: run.context, end, death: run.death };
	}

	async recover(given: Given, before: TestRunContext, state = before.savedState() ?? {}) {
		const context = createRunContext(this.runner, { ...given, after: before });
		return { context, end: await this.runner.recover?.(context, state) };
	}
}

/** Run an action to its end, as the service does. */
export async function runToEnd(engine: TestEngine, given: Given, options: ContainerOptions = {}) {
	const outcome: { text: string; told: string; result: Record<string, unknown> } = { text: "", told: "", result: {} };
	await Service.with({ host: engine.host, stop_grace: 1, ...options }, async ({ runner }) => {
		const context = createRunContext(runner, given);
		try {
			outcome.result = (await runner.run(context)).result;
		} finally {
			outcome.text = context.text("stdout");
			outcome.told = context.text("other");
			await runner.afterRun?.(context);
		}
	});
	return outcome;
}

export const image = "localhost/busybox:test";

/** A command line in a container. */
export const shell = (cmd: string, more: Given["runnerParameters"] = {}): Given => ({ runnerParameters: { image, cmd, ...more } });
