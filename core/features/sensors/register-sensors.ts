import { type Clock, isSvcError, type SensorEntity, SvcError, toErrorMessage } from "../../contract/index.ts";
import { toTimestamp } from "../../kernel/basics/clock.ts";
import type { Uses } from "../../kernel/basics/engine-parts.ts";
import { createId } from "../../kernel/basics/ids.ts";
import { insertIfAbsent } from "../../kernel/basics/insert-if-absent.ts";
import { assertRefNames } from "../../kernel/basics/names.ts";
import type { RegisteredTypeInput } from "../triggers/triggers-exports.ts";
import type { NamedSensor } from "./named-sensor-exports.ts";
import { minInterval } from "./sensor-file.ts";

export interface RegisterSensorDependencies extends Uses<"storage" | "clock"> {
	/** Creates a trigger type, or updates it to the given definition. */
	readonly registerType: (input: RegisteredTypeInput) => Promise<void>;
}

/**
 * Creates or updates the records of sensors and of their trigger types. `enabled` is kept, because only operators change it. Throws
 * `SVC_CONFIG` for an invalid declaration.
 */
export async function registerSensors(parts: RegisterSensorDependencies, sensors: readonly NamedSensor[]): Promise<void> {
	for (const named of sensors) {
		try {
			check(named);
			for (const type of named.sensor.trigger_types) {
				await insertIfAbsent(() => parts.registerType({ description: "", ...type, pack: named.pack }));
			}
			await insertIfAbsent(() => registerSensor(parts, named));
		} catch (error) {
			if (!isSvcError(error, "SVC_INVALID")) throw error;
			throw new SvcError("SVC_CONFIG", `sensor "${named.ref}": ${toErrorMessage(error)}`, { cause: error });
		}
	}
}

function check(named: NamedSensor): void {
	assertRefNames(named);
	const { poll_interval: interval } = named.sensor;
	if (interval !== undefined && !(Number.isInteger(interval) && interval >= minInterval)) {
		throw new SvcError("SVC_INVALID", `poll_interval: must be a whole number of seconds, at least ${minInterval}`);
	}
}

async function registerSensor({ storage, clock }: RegisterSensorDependencies, { name, ref, pack, sensor }: NamedSensor): Promise<void> {
	const declared = {
		ref,
		pack,
		name,
		description: sensor.description,
		poll_interval: sensor.poll_interval ?? null,
		trigger_types: sensor.trigger_types.map((type) => `${pack}.${type.name}`),
		entry_point: null,
		metadata_file: null,
		content: null,
		revision: null,
	};
	const [known] = await storage.find("sensor", { where: { ref }, limit: 1 });
	if (known !== undefined) await storage.update("sensor", known.id, declared);
	else await storage.insert("sensor", [{ id: createId(clock), enabled: true, ...declared, ...toUntouched(clock) }]);
}

/** Returns the state fields of a sensor that has never run. */
export function toUntouched(clock: Clock) {
	return {
		state: "stopped",
		state_changed_at: toTimestamp(clock.now()),
		restarts: 0,
		last_error: null,
		next_start_at: null,
		owner: null,
		fence: null,
		lease_expires_at: null,
	} satisfies Partial<SensorEntity>;
}
