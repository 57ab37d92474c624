import type { SensorEntity } from "../../contract/index.ts";
import type { Page, Paging } from "../../kernel/basics/pagination.ts";

export interface SensorFilter {
	readonly id?: string | readonly string[];
	readonly name?: string | readonly string[];
	readonly pack?: string;
	readonly enabled?: boolean;
	/** Ref of a trigger type that the sensor declares. */
	readonly trigger?: string;
}

/** Sensors with their settings and states. */
export interface SensorTypes {
	/** Lists sensors by ref. */
	list(filter: SensorFilter, paging: Paging): Promise<Page<SensorEntity>>;
	/** Returns a sensor by its ref or id. Throws `SVC_NOT_FOUND`. */
	get(refOrId: string): Promise<SensorEntity>;
	/**
	 * Returns the address of each program: `file:` with its path in a pack's directory, or `content:` with the hash of an installed pack.
	 * Empty for sensors of the configuration.
	 */
	artifacts(sensors: readonly SensorEntity[]): Promise<readonly string[]>;
	/**
	 * Enables or disables a sensor at once on every node. The setting survives restarts. Throws `SVC_INVALID` for a sensor of a system pack.
	 */
	setEnabled(refOrId: string, enabled: boolean): Promise<SensorEntity>;
}
