import { type JsonObject, stringifyJson } from "../../../core/contract/index.ts";

/** What one run of a Python sensor needs. */
export interface SensorRequest {
	readonly ref: string;
	readonly pack: string;
	/** Name of its class. */
	readonly className: string;
	/** Absolute path of the file that holds the class. */
	readonly entryPoint: string;
	/** Absolute. */
	readonly packDirectory: string;
	readonly config: JsonObject;
	/** Folders of the pack with modules, searched first. */
	readonly libraries: readonly string[];
	/** Seconds; undefined where the metadata does not say. */
	readonly pollInterval: number | undefined;
	/** Directories with modules that packs import, behind all others. */
	readonly pythonPaths: readonly string[];
	readonly settings: SensorSettings;
}

/** What all sensors of a node are run with. */
export interface SensorSettings {
	/** Least important level that their loggers write, as in `AUDIT`, `INFO`. */
	readonly logLevel: string;
	/** Milliseconds that a sensor has to end. */
	readonly grace: number;
	/** Whom they run as, as the API tells it. */
	readonly user: JsonObject;
}

/** The first line that the driver gets (python/svc/sensor_driver.py). */
export function toSensorLine({ settings, ...request }: SensorRequest): string {
	return `${stringifyJson({
		ref: request.ref,
		pack: request.pack,
		class_name: request.className,
		entry_point: request.entryPoint,
		pack_directory: request.packDirectory,
		config: request.config,
		poll_interval: request.pollInterval ?? null,
		libraries: request.libraries,
		python_paths: request.pythonPaths,
		log_level: settings.logLevel,
		user: settings.user,
	})}\n`;
}
