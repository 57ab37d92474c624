import { type PluginContext, SvcError, toErrorMessage } from "../../core/contract/index.ts";
import { type EngineName, engineNames, type PythonEngine } from "./engine.ts";

type Entry = { readonly engine: PythonEngine; readonly started: Promise<void> };

/** The engines of one runner; each is started when first needed. */
export class Engines {
	readonly #create: Readonly<Record<EngineName, () => PythonEngine>>;
	readonly #entries = new Map<EngineName, Entry>();
	#context: PluginContext | undefined;
	#default: EngineName | undefined;

	constructor(create: Readonly<Record<EngineName, () => PythonEngine>>) {
		this.#create = create;
	}

	/** Checks that the chosen engine can run here. Throws `SVC_CONFIG` if the engine does not exist or cannot run. */
	async check(choice: EngineName | "auto"): Promise<void> {
		if (choice === "auto") return;
		if (!engineNames.includes(choice)) {
			throw new SvcError("SVC_CONFIG", `option "engine" of python-script must be one of auto, ${engineNames.join(", ")}`);
		}
		await this.#create[choice]().check();
	}

	/** Chooses the default engine: the named one, or the first that can run here. */
	async start(context: PluginContext, choice: EngineName | "auto"): Promise<void> {
		this.#context = context;
		const reasons: string[] = [];
		for (const name of choice === "auto" ? engineNames : [choice]) {
			try {
				const { version } = await this.get(name);
				this.#default = name;
				context.logger.info("python engine chosen", {
					engine: name,
					version,
					...(reasons.length > 0 ? { reason: reasons.join("; ") } : {}),
				});
				return;
			} catch (error) {
				if (choice !== "auto") throw error;
				reasons.push(`${name}: ${toErrorMessage(error)}`);
			}
		}
		// Not an error: the other runners still work, and only runs of Python actions fail.
		context.logger.warn("no Python engine is available on this node", { reason: reasons.join("; ") });
	}

	/** Returns the engine with that name, or the default, ready to run. Rejects with the reason if it cannot run. */
	async get(name: EngineName | "auto"): Promise<PythonEngine> {
		const context = this.#context;
		if (context === undefined) throw new SvcError("SVC_RUNNER", "the runner has not been started");
		const chosen = name === "auto" ? this.#default : name;
		if (chosen === undefined) throw new SvcError("SVC_RUNNER", "no Python engine is available: install python3 or the package pyodide");
		const known = this.#entries.get(chosen) ?? this.#enter(chosen, context);
		await known.started;
		return known.engine;
	}

	async stop(): Promise<void> {
		this.#context = undefined;
		const entries = [...this.#entries.values()];
		await Promise.allSettled(entries.map(({ started }) => started));
		await Promise.all(entries.map(({ engine }) => engine.stop()));
	}

	#enter(name: EngineName, context: PluginContext): Entry {
		const engine = this.#create[name]();
		const entry = { engine, started: engine.start(context) };
		this.#entries.set(name, entry);
		return entry;
	}
}
