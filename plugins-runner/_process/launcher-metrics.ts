import type { Instrument, Meters } from "../../core/contract/index.ts";

/** Upper bounds in seconds: a process is there within a millisecond or two, unless the machine is full. */
const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5];

/** A process that somebody has asked for. Each may be told more than once; the first time counts. */
export interface ProcessMeasurement {
	/** It is there. */
	onStarted(): void;
	/** It has ended, or was never there. */
	onEnded(): void;
}

/** Measures what goes through the launcher of a node. */
export class LauncherMetrics {
	readonly #starts: Instrument;
	readonly #duration: Instrument;
	readonly #losses: Instrument;
	#waiting = 0;
	#running = 0;

	constructor(meters: Meters) {
		this.#starts = meters.counter({
			name: "svc_processes_total",
			help: "Processes that runners of this node have asked for, by what became of that: started, or failed.",
			labels: ["outcome"],
		});
		this.#duration = meters.histogram({
			name: "svc_process_start_duration_seconds",
			help: "From asking for a process to its being there.",
			buckets,
		});
		this.#losses = meters.counter({
			name: "svc_process_launcher_losses_total",
			help: "Launchers of processes that ended although nobody had asked them to; the next process gets a new one.",
		});
		meters.gauge({ name: "svc_process_starts_waiting", help: "Processes that were asked for and are not there yet." }, () => [
			[this.#waiting],
		]);
		meters.gauge({ name: "svc_processes_running", help: "Processes that the launcher of this node looks after." }, () => [[this.#running]]);
	}

	onRequested(): ProcessMeasurement {
		const asked = performance.now();
		let state: "waiting" | "running" | "ended" = "waiting";
		this.#waiting += 1;
		return {
			onStarted: () => {
				if (state !== "waiting") return;
				state = "running";
				this.#waiting -= 1;
				this.#running += 1;
				this.#starts.record(1, "started");
				this.#duration.record((performance.now() - asked) / 1_000);
			},
			onEnded: () => {
				if (state === "running") this.#running -= 1;
				if (state === "waiting") {
					this.#waiting -= 1;
					this.#starts.record(1, "failed");
				}
				state = "ended";
			},
		};
	}

	onLauncherLost(): void {
		this.#losses.record(1);
	}
}
