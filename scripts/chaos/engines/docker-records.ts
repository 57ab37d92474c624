import type { Docker } from "../../../plugins-runner/_container/docker.test-support.ts";

export const executionLabel = "svc.execution";

/** What Docker's daemon has written down of containers that ended while it was restarted, before anybody could remove them. */
export class DockerRecords {
	readonly #docker: Docker;
	readonly #ended = new Set<string>();
	readonly #outputs = new Map<string, string>();

	constructor(docker: Docker) {
		this.#docker = docker;
	}

	/** @param restart ends with a daemon that runs again and is reached by nobody yet */
	async during(restart: () => Promise<void>): Promise<void> {
		const from = Date.now();
		await restart();
		for (const { Config, State, output } of await this.#docker.stored()) {
			if (State.Running || Date.parse(State.FinishedAt) < from) continue;
			const execution = Config.Labels?.[executionLabel] ?? "";
			this.#outputs.set(execution, output);
			if (State.ExitCode !== 0) this.#ended.add(execution);
		}
	}

	/** Whether it was ended with the daemon. */
	hasEnded(execution: string): boolean {
		return this.#ended.has(execution);
	}

	/** What the daemon has of the output of one that came to its end while there was no daemon to read it. */
	outputOf(execution: string): string | undefined {
		return this.#outputs.get(execution);
	}
}
