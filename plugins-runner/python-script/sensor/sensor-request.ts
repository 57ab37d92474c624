import { type JsonObject, stringifyJson } from "../../../core/contract/index.ts";

/** Settings and files for one run of a Python sensor. */
export interface SensorRequest {
	readonly ref: string;
	readonly pack: string;
	/** Name of the sensor's Python class. */
	readonly className: string;
	/** Absolute path of the file that contains the class. */
	readonly entryPoint: string;
	/** Absolute path of the pack's directory. */
	readonly packDirectory: string;
	readonly config: JsonObject;
	/** Folders of the pack with modules, searched first. */
	readonly libraries: readonly string[];
	/** Seconds between polls; undefined if the sensor's metadata does not define it. */
	readonly pollInterval: number | undefined;
	/** Directories with modules that packs import, searched last. */
	readonly pythonPaths: readonly string[];
	readonly settings: SensorSettings;
}

/** Settings shared by all sensors of a node. */
export interface SensorSettings {
	/** Minimum level that the sensors' loggers write, such as `AUDIT` or `INFO`. */
	readonly logLevel: string;
	/** Milliseconds that a sensor has to end after a stop request. */
	readonly grace: number;
	/** The system user, in the format of the API; sensors run as this user. */
	readonly user: JsonObject;
}

/** Returns the first line that the driver reads (python/svc/sensor_driver.py). */
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
