import type { SensorEntity } from "../../contract/index.ts";
import type { Page, Paging } from "../../kernel/basics/pagination.ts";

export interface SensorFilter {
	readonly id?: string | readonly string[];
	readonly name?: string | readonly string[];
	readonly pack?: string;
	readonly enabled?: boolean;
	/** Ref of a trigger type that comes with the sensor. */
	readonly trigger?: string;
}

/** Sensors as they are configured, and how they do. */
export interface SensorTypes {
	/** By ref. */
	list(filter: SensorFilter, paging: Paging): Promise<Page<SensorEntity>>;
	/** By ref or id; `SVC_NOT_FOUND`. */
	get(refOrId: string): Promise<SensorEntity>;
	/** Where the program of each lies: `file:` of a pack's directory, `content:` with the hash of an installed pack's; empty for those of the configuration. */
	artifacts(sensors: readonly SensorEntity[]): Promise<readonly string[]>;
	/** Switch a sensor on or off, at once, wherever it runs; it stays so over restarts. `SVC_INVALID` in the pack `core`. */
	setEnabled(refOrId: string, enabled: boolean): Promise<SensorEntity>;
}
