import type { Variables } from "./variables.ts";

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
	#open: Arrival[] = [];
	#started: Arrival[] | undefined;

	constructor(name: string, route: number) {
		this.name = name;
		this.route = route;
	}

	/** Whether some have come, and fewer than it needs. */
	get isPartial(): boolean {
		return this.#open.length > 0;
	}

	/**
	 * Counts different tasks. One that comes when others have started it already, and that is not one of them, starts it again, with all that
	 * has come; one that was among them comes in another lap, which begins to count anew.
	 */
	arrive(arrival: Arrival, needs: number): JoinStart | undefined {
		const isLate = this.#open.length === 0 && this.#started?.some(({ source }) => source === arrival.source) === false;
		if (isLate && this.#started !== undefined) this.#started.push(arrival);
		else {
			this.#open.push(arrival);
			if (new Set(this.#open.map(({ source }) => source)).size < needs) return undefined;
			this.#started = this.#open;
			this.#open = [];
		}
		const arrivals = this.#started ?? [];
		return {
			variables: arrivals.map(({ variables }) => variables).reduce((own, others) => own.join(others)),
			tasks: arrivals.map(({ task }) => task),
			isLate,
		};
	}

	/** Goes back to before tasks that run again had come. */
	reopen(isSuperseded: (task: number) => boolean): void {
		const isKept = ({ task }: Arrival) => !isSuperseded(task);
		this.#open = this.#open.filter(isKept);
		if (this.#started === undefined || this.#started.every(isKept)) return;
		this.#open = [...this.#started.filter(isKept), ...this.#open];
		this.#started = undefined;
	}
}
