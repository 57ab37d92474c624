/** Milliseconds after the last statement. */
const patience = 5_000;

/** What is known of the statements of this process. */
class ProcessEnd {
	#running = 0;
	#hasRefused = false;
	#timer: NodeJS.Timeout | undefined;

	begin(): void {
		this.#running++;
		clearTimeout(this.#timer);
	}

	end({ holds }: { readonly holds: boolean }): void {
		this.#running--;
		if (!holds) this.#hasRefused = true;
		if (this.#hasRefused && this.#running === 0) this.#lookIn(patience);
	}

	#lookIn(milliseconds: number): void {
		// Where nothing else keeps the process, this does not either.
		this.#timer = setTimeout(() => this.#look(), milliseconds).unref();
	}

	#look(): void {
		if (!process.exitCode) return this.#lookIn(500);
		const open = process.getActiveResourcesInfo().join(", ");
		process.stderr.write(`svc-automation/testing: a plugin that was refused keeps the process open (${open}), which ends here\n`);
		process.exit();
	}
}

const processEnd = new ProcessEnd();

/**
 * Run a statement. When one is refused, its plugin may go on, or have left open what keeps the process, and nobody outside can end that:
 * the process is ended some time after the last statement. Only once the test runner has said by the exit code that something has
 * failed; uvu says it when it has reported all of its tests.
 */
export async function endProcessAfter(statement: () => Promise<void>): Promise<void> {
	let holds = false;
	processEnd.begin();
	try {
		await statement();
		holds = true;
	} finally {
		processEnd.end({ holds });
	}
}
