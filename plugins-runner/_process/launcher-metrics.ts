import type { Instrument, Meters } from "../../core/contract/index.ts";

/** Upper bounds in seconds. A process starts within a millisecond or two; the first one also waits for the launcher, some 0.2 s. */
const startBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5];

/** Measurement of one requested process. Each method may be called repeatedly; only the first call counts. */
export interface ProcessMeasurement {
	/** The process was started. */
	onStarted(): void;
	/** The process has ended, or could not be started. */
	onEnded(): void;
}

/** Measures the processes of a node's launcher. */
export class LauncherMetrics {
	readonly #starts: Instrument;
	readonly #duration: Instrument;
	readonly #losses: Instrument;
	#waitingCount = 0;
	#runningCount = 0;

	constructor(meters: Meters) {
		this.#starts = meters.counter({
			name: "svc_processes_total",
			help: "Processes requested by the runners of this node, by outcome: started, failed.",
			labels: ["outcome"],
		});
		this.#duration = meters.histogram({
			name: "svc_process_start_duration_seconds",
			help: "Time from the request of a process to its start.",
			buckets: startBuckets,
		});
		this.#losses = meters.counter({
			name: "svc_process_launcher_losses_total",
			help: "Process launchers that ended unexpectedly; the next process gets a new launcher.",
		});
		meters.gauge({ name: "svc_process_starts_waiting", help: "Requested processes that have not started." }, () => [[this.#waitingCount]]);
		meters.gauge({ name: "svc_processes_running", help: "Processes managed by the launcher of this node." }, () => [[this.#runningCount]]);
	}

	/** Measures a process that was just requested. */
	onRequested(): ProcessMeasurement {
		const requestedAt = performance.now();
		let state: "waiting" | "running" | "ended" = "waiting";
		this.#waitingCount += 1;
		return {
			onStarted: () => {
				if (state !== "waiting") return;
				state = "running";
				this.#waitingCount -= 1;
				this.#runningCount += 1;
				this.#starts.record(1, "started");
				this.#duration.record((performance.now() - requestedAt) / 1_000);
			},
			onEnded: () => {
				if (state === "running") this.#runningCount -= 1;
				if (state === "waiting") {
					this.#waitingCount -= 1;
					this.#starts.record(1, "failed");
				}
				state = "ended";
			},
		};
	}

	/** Counts a launcher that ended unexpectedly. */
	onLauncherLost(): void {
		this.#losses.record(1);
	}
}
