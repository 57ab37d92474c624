import type { Clock } from "../../core/contract/index.ts";
import type { Server } from "./server.ts";

/** Microseconds for which a server that failed is asked last. */
const avoidance = 60_000_000;

/** The servers of a directory in the order in which to ask them. */
export class HostList {
	readonly #servers: readonly Server[];
	readonly #clock: Clock;
	readonly #failed = new Map<Server, number>();

	constructor(servers: readonly Server[], clock: Clock) {
		this.#servers = servers;
		this.#clock = clock;
	}

	/** As configured, but those that failed a short while ago last, so that a dead one does not hold up every sign-in. */
	inOrder(): readonly Server[] {
		const now = this.#clock.now();
		const isAvoided = (server: Server) => now - (this.#failed.get(server) ?? Number.NEGATIVE_INFINITY) < avoidance;
		return [...this.#servers.filter((server) => !isAvoided(server)), ...this.#servers.filter(isAvoided)];
	}

	markFailed(server: Server): void {
		this.#failed.set(server, this.#clock.now());
	}

	markWell(server: Server): void {
		this.#failed.delete(server);
	}
}
