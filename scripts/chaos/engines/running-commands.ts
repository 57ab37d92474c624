import { findByEnvironment } from "../../../core/testing/guarantees/processes.test-support.ts";
import { pick, type Random } from "../../../core/testing/guarantees/random.test-support.ts";
import { readLedger } from "./command-ledger.ts";

/** Kill the processes of a command that an engine runs on this machine; the id of its execution, undefined where none runs. */
export async function killCommand(ledgers: string, engine: string, random: Random): Promise<string | undefined> {
	const words = await readLedger(ledgers, engine);
	const running = [...words].filter(([id, { isEnded }]) => !isEnded && findCommand(id).length > 0).map(([id]) => id);
	if (running.length === 0) return undefined;
	const id = pick(random, running);
	for (const pid of findCommand(id)) {
		try {
			process.kill(pid, "SIGKILL");
		} catch {
			// It has ended meanwhile.
		}
	}
	return id;
}

const findCommand = (id: string): readonly number[] => findByEnvironment(`SVC_ACTION_EXECUTION_ID=${id}\0`);
