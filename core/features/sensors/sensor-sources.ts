import { type SensorEntity, SvcError } from "../../contract/index.ts";
import type { Kernel } from "../../kernel/kernel.ts";
import { resolveEntryPoint } from "../packs/entry-point-exports.ts";
import { type NamedSensor, toNamedSensor } from "./named-sensor-exports.ts";
import type { PackSensorRunners } from "./pack-sensor-runners.ts";

export interface SensorSourceDependencies extends Pick<Kernel, "sensors" | "catalog"> {
	readonly runners: PackSensorRunners;
}

/** Finds the sensor for a record, in the configuration or in a pack. */
export class SensorSources {
	readonly #configured: ReadonlyMap<string, NamedSensor>;
	readonly #parts: SensorSourceDependencies;

	constructor(parts: SensorSourceDependencies) {
		this.#parts = parts;
		const configured = [...parts.sensors].map(([name, sensor]) => toNamedSensor(name, sensor));
		this.#configured = new Map(configured.map((named) => [named.ref, named]));
	}

	get configured(): readonly NamedSensor[] {
		return [...this.#configured.values()];
	}

	/** Returns true if this node can run the sensor. A record may remain after a sensor was removed from the configuration. */
	has({ ref, entry_point }: SensorEntity): boolean {
		if (entry_point === null) return this.#configured.has(ref);
		return !this.#configured.has(ref) && this.#parts.runners.find(entry_point) !== undefined;
	}

	/** Returns the sensor of a record. Rejects if it cannot be run. */
	async get(record: SensorEntity): Promise<NamedSensor> {
		return this.#configured.get(record.ref) ?? this.#fromPack(record);
	}

	async #fromPack(record: SensorEntity): Promise<NamedSensor> {
		const { ref, pack, name, description, entry_point, content, poll_interval, trigger_types } = record;
		const runner = this.#parts.runners.find(entry_point ?? "");
		const directory = await this.#parts.catalog.packDirectory(pack, content);
		if (runner === undefined || directory === undefined) throw new SvcError("SVC_RUNNER", `sensor "${ref}" has no files on this node`);
		const sensor = runner.create({
			...{ ref, pack, name, description },
			entryPoint: await resolveEntryPoint(directory, entry_point ?? "", "sensors"),
			packDirectory: directory,
			...(poll_interval !== null && { poll_interval }),
			trigger_types: trigger_types.map((type) => ({ name: type.slice(pack.length + 1) })),
		});
		return { name, ref, pack, sensor, isFromPack: true };
	}
}
