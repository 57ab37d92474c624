import { join } from "node:path";
import { startCuttingProxy } from "../../../core/testing/web/cutting-proxy.test-support.ts";
import { createSshSite } from "../../../plugins-runner/_ssh/sshd.test-support.ts";
import { type ChaosEngine, forAWhile, type Loss, type UnsuccessfulRun } from "./chaos-engine.ts";
import { killCommand } from "./running-commands.ts";

/** Commands on a host that is reached by SSH, over a line that can be cut. Nothing of them is found again: what was cut off is told as that, and not begun again. */
export async function startSsh(ledgers: string): Promise<ChaosEngine> {
	const site = await createSshSite();
	const { port } = await site.startSshd();
	const line = await startCuttingProxy(`http://127.0.0.1:${port}`);
	const fixed = (value: string) => ({ default: value, immutable: true });
	return {
		name: "ssh",
		options: { known_hosts: site.knownHosts, ssh_connect_timeout: 10 },
		action: {
			runner_type: "ssh",
			parameters: {
				hosts: fixed(`127.0.0.1:${new URL(line.url).port}`),
				username: fixed(site.username),
				private_key: fixed(site.key),
			},
		},
		ledger: join(ledgers, "ssh"),
		faults: {
			cut: async () => void line.cut(),
			refuse: (random) =>
				forAWhile(
					random,
					() => line.refuse(),
					() => line.admit(),
				),
			freeze: (random) =>
				forAWhile(
					random,
					() => line.freeze(),
					() => line.thaw(),
				),
		},
		removed: /^the command was ended by signal KILL$|^exit code \d+$/,
		wasAsked: async () => false,
		findLoss: async (run) => findLoss(run),
		takeAway: (random) => killCommand(ledgers, "ssh", random),
		left: async () => [],
		async stop() {
			await line.close();
			await site.stop();
		},
	};
}

/** Whoever has a connection has the run. What is printed after its end nobody hears, and a command that prints ends with that. */
function findLoss({ record, reason, mishaps }: UnsuccessfulRun): Loss | undefined {
	const isOf = (what: string) => mishaps.some((mishap) => mishap.engine === "ssh" && mishap.what === what);
	if (record.status === "abandoned" && mishaps.some(({ engine }) => engine === undefined))
		return { what: "its service was killed", goesOn: true };
	if (/connection was lost|closed the connection|EPIPE|ECONNRESET|^Not connected/.test(reason) && (isOf("cut") || isOf("refuse")))
		return { what: "its connection was cut", goesOn: true };
	return /^no host could be reached/.test(reason) && isOf("refuse") ? { what: "refused by its host" } : undefined;
}
