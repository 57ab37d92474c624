import type { SensorEntity } from "../../contract/index.ts";
import type { Uses } from "../../kernel/basics/engine-parts.ts";
import { toRenewalIntervalMs } from "../../kernel/coordination/lease-policy.ts";
import type { Kernel } from "../../kernel/kernel.ts";
import { PollLoop } from "../../lib/poll-loop.ts";
import type { PackSensorRunners } from "./pack-sensor-runners.ts";
import { SensorAccess, type SensorAccessDependencies } from "./sensor-access.ts";
import { SensorExecutor, type SensorWorkDependencies } from "./sensor-executor.ts";
import { SensorSources } from "./sensor-sources.ts";
import { SensorSupervisor } from "./sensor-supervisor.ts";
import { createSensorTriggers } from "./sensor-triggers.ts";
import { handleUncaughtSensorErrors } from "./uncaught-sensor-errors.ts";

export interface SensorContainerDependencies
	extends Omit<SensorWorkDependencies, "sources" | "triggers" | "principal" | "access">,
		Omit<SensorAccessDependencies, "logger">,
		Uses<"storage" | "nodeId">,
		Pick<Kernel, "leasing" | "sensors" | "catalog" | "changes"> {
	readonly packRunners: PackSensorRunners;
}

/** Runs the sensors of the configuration and of packs, each on one node at a time. Follows changes of their records. */
export class SensorContainer {
	readonly sources: SensorSources;
	readonly #parts: SensorContainerDependencies;
	readonly #work: SensorExecutor;
	/** Supervisors by the ref of the sensor. */
	readonly #supervisors = new Map<string, SensorSupervisor>();
	readonly #looks: PollLoop;
	#errorHandlers: ReturnType<typeof handleUncaughtSensorErrors> | undefined;

	constructor(parts: SensorContainerDependencies) {
		const { options } = parts;
		this.#parts = parts;
		this.sources = new SensorSources({ ...parts, runners: parts.packRunners });
		this.#work = new SensorExecutor({
			...parts,
			sources: this.sources,
			access: new SensorAccess(parts),
			principal: { username: options.system_user.user, isAdmin: true, authentication: { method: "none" } },
			triggers: createSensorTriggers(parts),
		});
		this.#looks = new PollLoop({ poll: () => this.#look(), onError: (error) => this.#expire(error) });
		parts.changes.onChange(() => this.#looks.wake());
	}

	/** Runs the enabled sensors that no other node runs. Can be called again after `stop`. */
	async start(): Promise<void> {
		if (!this.#parts.options.sensorcontainer.enable) return;
		// Sensors of packs run in processes of their own, so their errors cannot occur in this process.
		if (this.#parts.sensors.size > 0) this.#errorHandlers ??= handleUncaughtSensorErrors();
		// A stopped supervisor may still be waiting for its sensor to end.
		for (const supervisor of this.#supervisors.values()) supervisor.resume();
		this.#looks.start();
		this.#looks.wake();
	}

	/** Ends all sensors. Waits no longer than the grace period. */
	async stop(): Promise<void> {
		await this.#looks.stop();
		await Promise.all([...this.#supervisors.values()].map((supervisor) => supervisor.stop()));
	}

	/** Stops handling unhandled errors of sensors. Called after `stop`, because a sensor may still cause some while it ends. */
	close(): void {
		this.#errorHandlers?.end();
		this.#errorHandlers = undefined;
	}

	async #look(): Promise<void> {
		const { storage, leasing } = this.#parts;
		const stored = await storage.find("sensor", {});
		const there = stored.filter((sensor) => this.sources.has(sensor));
		this.#dismiss(new Set(there.map(({ id }) => id)));
		const looks = await Promise.allSettled(there.map((sensor) => this.#supervise(sensor)?.look(sensor)));
		const failed = looks.find((look) => look.status === "rejected");
		if (failed !== undefined) throw failed.reason;
		this.#plan(toRenewalIntervalMs(leasing.leaseSeconds));
	}

	/** Returns the supervisor. Returns undefined while a sensor with the same ref, whose record was deleted, is still ending here. */
	#supervise({ id, ref }: SensorEntity): SensorSupervisor | undefined {
		const known = this.#supervisors.get(ref);
		if (known !== undefined) return known.id === id ? known : undefined;
		const supervisor = new SensorSupervisor(this.#parts, id, {
			ref,
			wake: () => this.#looks.wake(),
			run: (record, holding) => this.#work.run(record, holding),
		});
		this.#supervisors.set(ref, supervisor);
		return supervisor;
	}

	/** Ends the sensors whose records were deleted, for example with their pack. */
	#dismiss(ids: ReadonlySet<string>): void {
		for (const [ref, supervisor] of this.#supervisors) {
			if (ids.has(supervisor.id) || supervisor.isDismissed) continue;
			void supervisor.dismiss().then(() => {
				if (this.#supervisors.get(ref) === supervisor) this.#supervisors.delete(ref);
				this.#looks.wake();
			});
		}
	}

	#expire(error: unknown): void {
		const { logger, leasing, options } = this.#parts;
		logger.warn("assigning sensors failed; it will be retried", { error });
		for (const supervisor of this.#supervisors.values()) supervisor.expire();
		// Poll at least at the normal interval, so that sensors start soon after the storage is available again.
		this.#plan(Math.min(toRenewalIntervalMs(leasing.leaseSeconds), options.scheduler.poll_interval * 1_000));
	}

	#plan(milliseconds: number): void {
		this.#looks.scheduleWake(milliseconds, () => this.#looks.wake());
	}
}
