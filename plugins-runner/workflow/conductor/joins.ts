import { Variables } from "./variables.ts";

/** What one task has brought to a join. */
interface Arrival {
	readonly source: string;
	readonly task: number;
	readonly variables: Variables;
}

/** What a join starts with. */
export interface JoinStart {
	readonly variables: Variables;
	readonly tasks: readonly number[];
	/** Others have started it already. */
	readonly isLate: boolean;
}

/** Tasks that have come to a join, on one route. */
export class JoinRun {
	readonly name: string;
	readonly route: number;
	#open = new Collection();
	#started: Collection | undefined;

	constructor(name: string, route: number) {
		this.name = name;
		this.route = route;
	}

	/** Whether some have come, and fewer than it needs. */
	get isPartial(): boolean {
		return this.#open.arrivals.length > 0;
	}

	/** Variables of the tasks that have arrived at the join, if the join has not started. */
	get waitingVariables(): Variables {
		return this.#open.toStart(false).variables;
	}

	/**
	 * Counts different tasks. One that comes when others have started it already, and that is not one of them, starts it again, with all that
	 * has come; one that was among them comes in another lap, which begins to count anew.
	 */
	arrive(arrival: Arrival, needs: number): JoinStart | undefined {
		if (!this.isPartial && this.#started?.sources.has(arrival.source) === false) {
			this.#started.add(arrival);
			return this.#started.toStart(true);
		}
		this.#open.add(arrival);
		if (this.#open.sources.size < needs) return undefined;
		this.#started = this.#open;
		this.#open = new Collection();
		return this.#started.toStart(false);
	}

	/** Goes back to before tasks that run again had come. */
	reopen(isSuperseded: (task: number) => boolean): void {
		const isKept = ({ task }: Arrival) => !isSuperseded(task);
		const open = this.#open.arrivals.filter(isKept);
		const started = this.#started?.arrivals ?? [];
		if (started.every(isKept)) {
			this.#open = new Collection(open);
			return;
		}
		this.#open = new Collection([...started.filter(isKept), ...open]);
		this.#started = undefined;
	}
}

/** What has come in one lap, in the order of its coming. */
class Collection {
	readonly arrivals: Arrival[] = [];
	readonly sources = new Set<string>();
	#variables = Variables.empty;

	constructor(arrivals: readonly Arrival[] = []) {
		for (const arrival of arrivals) this.add(arrival);
	}

	add(arrival: Arrival): void {
		this.arrivals.push(arrival);
		this.sources.add(arrival.source);
		this.#variables = this.#variables.join(arrival.variables);
	}

	toStart(isLate: boolean): JoinStart {
		return { variables: this.#variables, tasks: this.arrivals.map(({ task }) => task), isLate };
	}
}
