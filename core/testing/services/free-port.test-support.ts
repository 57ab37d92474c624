import { randomInt } from "node:crypto";
import { createServer } from "node:net";

/**
 * Ports that the system, as it is installed, gives to nobody who asks for any, as other tests do all the time. One that it would give is free now, and may be theirs before the
 * server that it is meant for listens on it.
 */
const [lowest, highest] = [12_000, 29_999];

/** Given by this process already, to somebody who may not listen yet. */
const given = new Set<number>();

/** A port of the loopback interface that nobody uses now. */
export async function findFreePort(): Promise<number> {
	for (;;) {
		const port = randomInt(lowest, highest + 1);
		if (given.has(port)) continue;
		given.add(port);
		if (await isFree(port)) return port;
	}
}

function isFree(port: number): Promise<boolean> {
	return new Promise((resolve) => {
		const server = createServer();
		server.once("error", () => resolve(false));
		server.listen(port, "127.0.0.1", () => void server.close(() => resolve(true)));
	});
}
