import { useEffect, useMemo } from "preact/hooks";
import type { OutputType } from "../../../../core/contract/index.ts";
import { attempt } from "../kit/notices.ts";
import { addressBar } from "../kit/router.ts";
import * as common from "../texts/common.ts";
import * as texts from "../texts/log.ts";
import { LogMatches } from "./log-matches.ts";

interface LogSearchProps {
	readonly id: string;
	readonly type: OutputType | undefined;
	readonly find: string;
	/** Number of the line that the address selects; 0 if there is none. */
	readonly line: number;
}

/**
 * Searches the whole output for a string. The service does the search. Navigates between the matches, and to lines that look like errors.
 */
export function LogSearch({ id, type, find, line }: LogSearchProps) {
	const matches = useMemo(() => new LogMatches(id, type, find), [id, type, find]);
	useEffect(() => {
		if (find !== "") void attempt(() => matches.start(line), "");
	}, [matches]);
	const step = (isForward: boolean) => void attempt(() => matches.step(line, isForward), "");
	return (
		<search class="log-search" aria-label={texts.search}>
			<form
				onSubmit={(event) => {
					event.preventDefault();
					const text = String(new FormData(event.currentTarget).get("find"));
					if (text === find) step(true);
					else addressBar.change({ find: text, line: undefined }, { isReplaced: find !== "" });
				}}
			>
				<input
					key={find}
					name="find"
					type="search"
					aria-label={texts.findInOutput}
					placeholder={texts.find}
					defaultValue={find}
					maxLength={1_000}
				/>
			</form>
			{find !== "" && (
				<>
					<span class="faint number" role="status">
						{toCount(matches.found.value, line)}
					</span>
					<button type="button" aria-label={texts.previousMatch} onClick={() => step(false)}>
						↑
					</button>
					<button type="button" aria-label={texts.nextMatch} onClick={() => step(true)}>
						↓
					</button>
				</>
			)}
			<button type="button" onClick={() => void attempt(() => matches.goToTrouble(line), "")}>
				{texts.nextError}
			</button>
		</search>
	);
}

function toCount(found: LogMatches["found"]["value"], line: number): string {
	if (found === undefined) return "…";
	const { lines, next } = found;
	if (lines.length === 0) return common.none;
	const all = texts.matchCount(lines.length, next !== null);
	const index = lines.indexOf(line);
	return index < 0 ? all : texts.matchOf(index + 1, all);
}
