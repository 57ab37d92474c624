import { type Options, type Sensor, type Storage, toErrorMessage } from "../../contract/index.ts";
import type { EngineClock } from "../../kernel/basics/clock.ts";
import type { Principal } from "../../kernel/basics/principal.ts";
import type { Dispatch, Dispatcher } from "../../kernel/events/dispatcher.ts";
import type { EngineDependencies } from "../../kernel/plugins/dependencies.ts";
import { KnownSecrets } from "../../kernel/secrets/known-secrets.ts";
import type { SealedSecrets } from "../../kernel/secrets/sealed-secrets.ts";
import type { ChangeFeed } from "../../kernel/work/change-feed.ts";
import { toRenewalInterval } from "../../kernel/work/lease-time.ts";
import type { DatastoreItems } from "../datastore/items-api.ts";
import type { PackConfigs } from "../packs/pack-configs-api.ts";
import { triggerRefs } from "../triggers/trigger-refs-api.ts";
import type { TriggerTypes } from "../triggers/triggers-api.ts";
import { type NamedSensor, registerSensors, toNamedSensor } from "./register-sensors.ts";
import { createSensorContext } from "./sensor-context.ts";
import { createSensorTriggers } from "./sensor-triggers.ts";
import { createSupervisor, type Holding, type Supervisor } from "./supervisor.ts";

/** Most characters of a message that are kept. */
const longestError = 2_000;

export interface SensorContainerParts {
	readonly storage: Storage;
	readonly clock: EngineClock;
	readonly logger: EngineDependencies["logger"];
	readonly nodeId: string;
	readonly options: Options;
	/** By name. */
	readonly sensors: ReadonlyMap<string, Sensor>;
	readonly types: TriggerTypes;
	readonly changes: Pick<ChangeFeed, "onChange">;
	readonly dispatcher: Pick<Dispatcher, "dispatch">;
	readonly datastore: DatastoreItems;
	readonly packConfigs: PackConfigs;
	readonly sealedSecrets: Pick<SealedSecrets, "of">;
}

/** Runs the sensors of the configuration, each on one node at a time. */
export interface SensorContainer {
	/** Makes sensors and their trigger types known: before the rules of packs, which use them. */
	register(): Promise<void>;
	/** Runs those that are enabled and that no other node runs. Also again, after `stop`. */
	start(): Promise<void>;
	/** Ends all of them; waits no longer than the grace. */
	stop(): Promise<void>;
}

export function createSensorContainer(parts: SensorContainerParts): SensorContainer {
	const { storage, clock, logger, options } = parts;
	const sensors = [...parts.sensors].map(([name, sensor]) => toNamedSensor(name, sensor));
	const principal: Principal = { username: options.system_user.user, isAdmin: true, authentication: { method: "none" } };
	const triggers = createSensorTriggers({ ...parts, pollInterval: options.scheduler.poll_interval });
	/** By id of the record. */
	const supervisors = new Map<string, Supervisor>();
	let isStarted = false;
	let timer: NodeJS.Timeout | undefined;
	let looking: Promise<void> | undefined;
	/** Woken while looking. */
	let again = false;
	/** The last look failed. */
	let isAway = false;

	async function run(named: NamedSensor, holding: Holding): Promise<void> {
		const { values, secrets } = await parts.packConfigs.resolve(named.pack, principal.username);
		let hasEnded = false;
		const isHeld = () => !hasEnded && holding.isHeld();
		const context = createSensorContext({ ...parts, logger: logger.withTag(`sensor ${named.name}`), triggers, principal }, named, {
			packConfig: values,
			knownSecrets: parts.sealedSecrets.of(new KnownSecrets(secrets)),
			signal: holding.signal,
			isHeld,
		});
		for (const secret of secrets) logger.addSecret(secret);
		logger.info("sensor started", { sensor: named.ref });
		await tell(triggerRefs.processSpawn, { id: named.name, pid: process.pid, cmd: `sensor ${named.ref}` });
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
			if (holding.isHeld()) await tell(triggerRefs.processExit, { id: named.name, exit_code: exitCode });
			logger.info("sensor ended", { sensor: named.ref });
		}
	}

	async function tell(trigger: string, payload: Dispatch["payload"]): Promise<void> {
		const timestamp = clock.now() / 1_000_000;
		await parts.dispatcher.dispatch({ trigger, payload: { ...payload, timestamp } }).catch((error: unknown) => {
			logger.warn("start or end of a sensor could not be told", { trigger, error });
		});
	}

	async function lookOnce(): Promise<void> {
		const stored = await storage.find("sensor", { where: { id: { in: [...supervisors.keys()] } } });
		const looks = await Promise.allSettled(stored.map((sensor) => supervisors.get(sensor.id)?.look(sensor)));
		const failed = looks.find((look) => look.status === "rejected");
		if (failed !== undefined) throw failed.reason;
	}

	async function look(): Promise<void> {
		do {
			again = false;
			isAway = false;
			await lookOnce().catch((error: unknown) => {
				isAway = true;
				logger.warn("looking at sensors failed; will be tried again", { error });
				for (const supervisor of supervisors.values()) supervisor.expire();
			});
		} while (again && isStarted);
	}

	function wake(): void {
		if (!isStarted) return;
		again = true;
		looking ??= look().finally(() => {
			looking = undefined;
			plan();
			if (again) wake();
		});
	}

	function plan(): void {
		clearTimeout(timer);
		const interval = toRenewalInterval(options.scheduler.lease);
		// Once the storage is back, nobody should have to wait for long.
		if (isStarted) timer = setTimeout(wake, isAway ? Math.min(interval, options.scheduler.poll_interval * 1_000) : interval);
	}

	parts.changes.onChange(wake);

	return {
		register: () => registerSensors(parts, sensors),
		async start() {
			if (!options.sensorcontainer.enable || sensors.length === 0) return;
			const stored = await storage.find("sensor", { where: { ref: { in: sensors.map(({ ref }) => ref) } }, fields: ["ref"] });
			const ids = new Map(stored.map(({ id, ref }) => [ref, id]));
			for (const named of sensors) {
				const id = ids.get(named.ref);
				if (id === undefined) continue;
				// One that was stopped may still wait for its sensor to end.
				const supervisor = supervisors.get(id) ?? createSupervisor(parts, id, { ref: named.ref, wake, run: (held) => run(named, held) });
				supervisor.resume();
				supervisors.set(id, supervisor);
			}
			isStarted = true;
			wake();
		},
		async stop() {
			isStarted = false;
			clearTimeout(timer);
			await looking;
			await Promise.all([...supervisors.values()].map((supervisor) => supervisor.stop()));
		},
	};
}
