import type { Expressions } from "../../contract/index.ts";
import type { Dialects } from "../../language/dialects.ts";
import type { TemplateSources } from "../submission/template-sources.ts";
import { Journal, type JournalParts } from "./children/journal.ts";
import type { Children } from "./children/node-children.ts";
import type { Learn, RunChildren } from "./children/run-children.ts";
import type { RunCalls } from "./host-calls.ts";
import type { Performance } from "./performance.ts";
import { createRunExpressions } from "./run-expressions.ts";

export interface RunToolParts extends JournalParts {
	readonly children: Children;
	readonly templateSources: TemplateSources;
	readonly dialects: Dialects;
}

interface Means {
	readonly calls: RunCalls;
	readonly learn: Learn;
	/** What is kept of what the run knows to be secret, for whoever goes on with it. */
	readonly seal: () => string | null;
}

/** What few runners ask for, made when a run first does: to make it for each run would cost as much as a small run itself. */
export class RunTools {
	readonly #parts: RunToolParts;
	readonly #performance: Performance;
	readonly #means: Means;
	#children: RunChildren | undefined;
	#journal: Journal | undefined;
	#expressions: Expressions | undefined;
	#isClosed = false;

	constructor(parts: RunToolParts, performance: Performance, means: Means) {
		this.#parts = parts;
		this.#performance = performance;
		this.#means = means;
	}

	get children(): RunChildren {
		if (this.#children === undefined) {
			this.#children = this.#parts.children.open(this.#performance, this.#means);
			// Whoever asks only now is told what others are who go on after the end of their run.
			if (this.#isClosed) this.#children.close();
		}
		return this.#children;
	}

	get journal(): Journal {
		const { calls, seal } = this.#means;
		this.#journal ??= new Journal(this.#parts, this.#performance, { calls, children: this.children, seal });
		return this.#journal;
	}

	get expressions(): Expressions {
		const { templateSources, dialects } = this.#parts;
		const { execution } = this.#performance;
		this.#expressions ??= createRunExpressions({ templateSources, names: dialects.names, execution, ...this.#means });
		return this.#expressions;
	}

	/** Whether a child has come to something that the run has not been told. */
	async haveChildrenNews(): Promise<boolean> {
		return (await this.#children?.haveNews()) ?? false;
	}

	/** The run has ended. */
	close(): void {
		this.#isClosed = true;
		this.#children?.close();
	}
}
