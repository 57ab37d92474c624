import { type Options, type Sensor, type Storage, toErrorMessage } from "../../contract/index.ts";
import type { EngineClock } from "../../kernel/basics/clock.ts";
import type { Principal } from "../../kernel/basics/principal.ts";
import type { Dispatch, Dispatcher } from "../../kernel/events/dispatcher.ts";
import type { EngineDependencies } from "../../kernel/plugins/dependencies.ts";
import { KnownSecrets } from "../../kernel/secrets/known-secrets.ts";
import type { SealedSecrets } from "../../kernel/secrets/sealed-secrets.ts";
import type { ChangeFeed } from "../../kernel/work/change-feed.ts";
import { toRenewalInterval } from "../../kernel/work/lease-time.ts";
import type { Leasing } from "../../kernel/work/leasing.ts";
import { Looks } from "../../kernel/work/looks.ts";
import type { DatastoreItems } from "../datastore/items-api.ts";
import type { PackConfigs } from "../packs/pack-configs-api.ts";

import { type NamedSensor, toNamedSensor } from "./named-sensor-api.ts";
import { type RegisterSensorParts, registerSensors } from "./register-sensors.ts";
import { createSensorContext, type SensorContextParts } from "./sensor-context.ts";

import { processExit, processSpawn } from "./sensor-process-types.ts";
import type { Holding } from "./sensor-run.ts";
import { createSensorTriggers, type SensorTriggers } from "./sensor-triggers.ts";
import { Supervisor } from "./supervisor.ts";

/** Most characters of a message that are kept. */
const longestError = 2_000;

export interface SensorContainerParts extends Pick<RegisterSensorParts, "registerType"> {
	readonly storage: Storage;
	readonly clock: EngineClock;
	readonly logger: EngineDependencies["logger"];
	readonly nodeId: string;
	readonly leasing: Leasing;
	readonly options: Options;
	/** By name. */
	readonly sensors: ReadonlyMap<string, Sensor>;
	readonly changes: Pick<ChangeFeed, "onChange">;
	readonly dispatcher: Pick<Dispatcher, "dispatch">;
	readonly datastore: DatastoreItems;
	readonly packConfigs: PackConfigs;
	readonly sealedSecrets: Pick<SealedSecrets, "of">;
}

/** Runs the sensors of the configuration, each on one node at a time. */
export class SensorContainer {
	readonly #parts: SensorContainerParts;
	readonly #sensors: readonly NamedSensor[];
	readonly #principal: Principal;
	readonly #triggers: SensorTriggers;
	/** By id of the record. */
	readonly #supervisors = new Map<string, Supervisor>();
	readonly #looks: Looks;

	constructor(parts: SensorContainerParts) {
		const { options } = parts;
		this.#parts = parts;
		this.#sensors = [...parts.sensors].map(([name, sensor]) => toNamedSensor(name, sensor));
		this.#principal = { username: options.system_user.user, isAdmin: true, authentication: { method: "none" } };
		this.#triggers = createSensorTriggers({ ...parts, pollInterval: options.scheduler.poll_interval });
		this.#looks = new Looks({ look: () => this.#look(), onError: (error) => this.#expire(error) });
		parts.changes.onChange(() => this.#looks.wake());
	}

	/** Makes sensors and their trigger types known: before the rules of packs, which use them. */
	register(): Promise<void> {
		return registerSensors(this.#parts, this.#sensors);
	}

	/** Runs those that are enabled and that no other node runs. Also again, after `stop`. */
	async start(): Promise<void> {
		if (!this.#parts.options.sensorcontainer.enable || this.#sensors.length === 0) return;
		const stored = await this.#parts.storage.find("sensor", {
			where: { ref: { in: this.#sensors.map(({ ref }) => ref) } },
			fields: ["ref"],
		});
		const ids = new Map(stored.map(({ id, ref }) => [ref, id]));
		for (const named of this.#sensors) {
			const id = ids.get(named.ref);
			if (id === undefined) continue;
			// One that was stopped may still wait for its sensor to end.
			const supervisor =
				this.#supervisors.get(id) ??
				new Supervisor(this.#parts, id, { ref: named.ref, wake: () => this.#looks.wake(), run: (held) => this.#run(named, held) });
			supervisor.resume();
			this.#supervisors.set(id, supervisor);
		}
		this.#looks.start();
		this.#looks.wake();
	}

	/** Ends all of them; waits no longer than the grace. */
	async stop(): Promise<void> {
		await this.#looks.stop();
		await Promise.all([...this.#supervisors.values()].map((supervisor) => supervisor.stop()));
	}

	async #run(named: NamedSensor, holding: Holding): Promise<void> {
		const { logger } = this.#parts;
		const { values, secrets } = await this.#parts.packConfigs.resolve(named.pack, this.#principal.username);
		let hasEnded = false;
		const isHeld = () => !hasEnded && holding.isHeld();
		const context = createSensorContext(this.#toContextParts(named), named, {
			packConfig: values,
			knownSecrets: this.#parts.sealedSecrets.of(new KnownSecrets(secrets)),
			signal: holding.signal,
			isHeld,
		});
		for (const secret of secrets) logger.addSecret(secret);
		logger.info("sensor started", { sensor: named.ref });
		await this.#tell(processSpawn, { id: named.name, pid: process.pid, cmd: `sensor ${named.ref}` });
		let exitCode = 0;
		try {
			if (!holding.signal.aborted) await named.sensor.run(context);
		} catch (error) {
			exitCode = holding.signal.aborted ? 0 : 1;
			// The message is kept, and shown to whoever may see the sensor.
			throw new Error(new KnownSecrets(secrets).text(toErrorMessage(error)).slice(0, longestError), { cause: error });
		} finally {
			hasEnded = true;
			for (const secret of secrets) logger.forgetSecret(secret);
			// A node that has lost the sensor does not speak for it.
			if (holding.isHeld()) await this.#tell(processExit, { id: named.name, exit_code: exitCode });
			logger.info("sensor ended", { sensor: named.ref });
		}
	}

	#toContextParts({ name }: NamedSensor): SensorContextParts {
		const logger = this.#parts.logger.withTag(`sensor ${name}`);
		return { ...this.#parts, logger, triggers: this.#triggers, principal: this.#principal };
	}

	async #tell(trigger: string, payload: Dispatch["payload"]): Promise<void> {
		const timestamp = this.#parts.clock.now() / 1_000_000;
		await this.#parts.dispatcher.dispatch({ trigger, payload: { ...payload, timestamp } }).catch((error: unknown) => {
			this.#parts.logger.warn("start or end of a sensor could not be told", { trigger, error });
		});
	}

	async #look(): Promise<void> {
		const { storage, leasing } = this.#parts;
		const stored = await storage.find("sensor", { where: { id: { in: [...this.#supervisors.keys()] } } });
		const looks = await Promise.allSettled(stored.map((sensor) => this.#supervisors.get(sensor.id)?.look(sensor)));
		const failed = looks.find((look) => look.status === "rejected");
		if (failed !== undefined) throw failed.reason;
		this.#plan(toRenewalInterval(leasing.lease));
	}

	#expire(error: unknown): void {
		const { logger, leasing, options } = this.#parts;
		logger.warn("looking at sensors failed; will be tried again", { error });
		for (const supervisor of this.#supervisors.values()) supervisor.expire();
		// Once the storage is back, nobody should have to wait for long.
		this.#plan(Math.min(toRenewalInterval(leasing.lease), options.scheduler.poll_interval * 1_000));
	}

	#plan(milliseconds: number): void {
		this.#looks.plan(milliseconds, () => this.#looks.wake());
	}
}
