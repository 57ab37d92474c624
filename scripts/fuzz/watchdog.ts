import { get } from "node:http";
import { readProcessorTime } from "./processor-time.ts";

const interval = 250;

/** Asks a service all along whether it lives. One that does not answer while it uses up the processor is ended. */
export class Watchdog {
	/** Milliseconds of the processor's time without an answer. */
	readonly limit = 3_000;
	readonly #timer: NodeJS.Timeout;
	#isHung = false;

	constructor(api: string, pid: number, end: () => void) {
		let asked: { readonly cpu: number } | undefined;
		const look = () => {
			if (asked !== undefined) {
				if (readProcessorTime(pid) - asked.cpu < this.limit) return;
				this.#isHung = true;
				this.stop();
				return end();
			}
			asked = { cpu: readProcessorTime(pid) };
			const forget = () => {
				asked = undefined;
			};
			const sent = get(`${api}/v1/health/live`, { agent: false }, (response) => response.resume().on("close", forget));
			sent.on("error", forget);
		};
		this.#timer = setInterval(look, interval);
	}

	get isHung(): boolean {
		return this.#isHung;
	}

	stop(): void {
		clearInterval(this.#timer);
	}
}
