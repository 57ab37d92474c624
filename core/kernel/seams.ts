import { SvcError } from "../contract/index.ts";
import { type Authority, noAuthority } from "./basics/authority.ts";
import type { TriggerTypeDefinition } from "./events/own-trigger-types.ts";
import { noReactor, type Reactor } from "./events/reactor.ts";
import type { Follow } from "./executions/endings.ts";
import { noQueues, type Queues } from "./executions/queues.ts";
import { type ConfigurationSource, type ItemSource, noConfiguration, noItemSource } from "./executions/template-sources.ts";
import type { Feature } from "./feature.ts";
import { type Granting, noGranting } from "./runs/granting.ts";

/** What only one feature may have. */
type Single = "queues" | "reactor" | "granting" | "authority" | "items" | "configuration";

/**
 * Where features come into the kernel. The kernel is there before them, as they are made of it: whatever it asks of them it asks here,
 * at the time it needs it.
 */
export class Seams {
	#features: readonly Feature[] = [];
	#follows: readonly Follow[] = [];
	#triggerTypes: readonly TriggerTypeDefinition[] = [];
	#single: Pick<Feature, Single> = {};

	/** Once, before anything is started. `SVC_CONFIG` where two features have what only one may have. */
	take(features: readonly Feature[]): void {
		this.#features = features;
		this.#follows = features.flatMap(({ follow }) => follow ?? []);
		this.#triggerTypes = features.flatMap(({ triggerTypes }) => triggerTypes ?? []);
		this.#single = {
			...this.#only("queues"),
			...this.#only("reactor"),
			...this.#only("granting"),
			...this.#only("authority"),
			...this.#only("items"),
			...this.#only("configuration"),
		};
	}

	#only<K extends Single>(name: K): Pick<Feature, Single> {
		const [one, other] = this.#features.filter((feature) => feature[name] !== undefined);
		if (other !== undefined) throw new SvcError("SVC_CONFIG", `features: only one may have "${name}"`);
		return one === undefined ? {} : { [name]: one[name] };
	}

	get features(): readonly Feature[] {
		return this.#features;
	}

	get follows(): readonly Follow[] {
		return this.#follows;
	}

	get triggerTypes(): readonly TriggerTypeDefinition[] {
		return this.#triggerTypes;
	}

	get queues(): Queues {
		return this.#single.queues ?? noQueues;
	}

	get reactor(): Reactor {
		return this.#single.reactor ?? noReactor;
	}

	get granting(): Granting {
		return this.#single.granting ?? noGranting;
	}

	get authority(): Authority {
		return this.#single.authority ?? noAuthority;
	}

	get items(): ItemSource {
		return this.#single.items ?? noItemSource;
	}

	get configuration(): ConfigurationSource {
		return this.#single.configuration ?? noConfiguration;
	}
}
