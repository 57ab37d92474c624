import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { OutputType } from "../../../../core/contract/index.ts";
import type { ExecutionViewProps } from "../execution/execution-view.ts";
import { preferences } from "../kit/preferences.ts";
import { addressBar } from "../kit/router.ts";
import { toApiHref } from "../kit/service.ts";
import { Empty } from "../parts/empty.tsx";
import { isEnded } from "../parts/status-badge.tsx";
import * as common from "../texts/common.ts";
import * as texts from "../texts/log.ts";
import { LogSearch } from "./log-search.tsx";
import type { LogSource } from "./log-source.ts";
import { LogWindow } from "./log-window.tsx";
import { useLogSource } from "./use-log-source.ts";

const types: readonly OutputType[] = ["stdout", "stderr", "other"];

const isBoolean = (value: unknown): value is boolean => typeof value === "boolean";

/** Shows the output of an execution: all of it or one type. The address contains the selected type. */
export function View({ run }: ExecutionViewProps) {
	const type = types.find((each) => each === addressBar.query("type"));
	const find = addressBar.query("find");
	const line = Math.max(0, Math.trunc(Number(addressBar.query("line")) || 0));
	const isWrapped = useSignal(preferences.get("log.wrap", isBoolean) ?? false);
	const showsTime = useSignal(preferences.get("log.time", isBoolean) ?? false);
	const hasEnded = isEnded(run.status);
	const isFollowed = useSignal(!hasEnded && line === 0);
	const source = useLogSource(run.id, type, hasEnded);
	useEffect(() => {
		if (line > 0) isFollowed.value = false;
	}, [line, isFollowed]);
	return (
		<>
			<div class="log-bar">
				<TypeChoice type={type} />
				<LogSearch id={run.id} type={type} find={find} line={line} />
				<Toggle label={texts.wrap} name="log.wrap" state={isWrapped} />
				<Toggle label={texts.showTime} name="log.time" state={showsTime} />
				<LineJump key={line} line={line} />
				<a href={toApiHref(`/executions/${run.id}/output${type === undefined ? "" : `?output_type=${type}`}`)} download={`${run.id}.log`}>
					{common.download}
				</a>
				<span class="log-total faint number">{texts.lineCount(source.total.value ?? 0)}</span>
			</div>
			{source.problem.value !== "" && (
				<p class="log-problem" role="status">
					{common.tryingAgain(source.problem.value)}
				</p>
			)}
			{source.total.value === 0 ? (
				<Empty
					title={hasEnded ? texts.noOutput : texts.nothingPrintedYet}
					step={hasEnded ? texts.noOutputStep : texts.nothingPrintedYetStep}
				/>
			) : (
				<div class="log-box">
					<LogWindow
						source={source}
						line={line}
						look={{ showsTime: showsTime.value, find }}
						isWrapped={isWrapped.value}
						isFollowed={isFollowed.value}
						onFollow={(next) => (isFollowed.value = next)}
					/>
					<NewLines source={source} isFollowed={isFollowed.value} onFollow={() => (isFollowed.value = true)} />
				</div>
			)}
		</>
	);
}

/** Shows how many lines have arrived since the user stopped following the output. Its button follows the output again. */
function NewLines({
	source,
	isFollowed,
	onFollow,
}: {
	readonly source: LogSource;
	readonly isFollowed: boolean;
	readonly onFollow: () => void;
}) {
	const total = source.total.value ?? 0;
	const seen = useSignal(total);
	if (isFollowed || seen.value === 0) seen.value = total;
	const count = total - seen.value;
	const isBehind = !isFollowed && count > 0;
	return (
		<>
			{/* Announced once and not for each line: otherwise a screen reader would announce nothing else. */}
			<p class="only-heard" role="status">
				{isBehind && texts.newLines}
			</p>
			{isBehind && (
				<button type="button" class="primary new-lines" onClick={onFollow}>
					{texts.newLineCount(count)}
				</button>
			)}
		</>
	);
}

function TypeChoice({ type }: { readonly type: OutputType | undefined }) {
	return (
		<select
			aria-label={texts.outputType}
			value={type ?? ""}
			onChange={(event) => addressBar.change({ type: event.currentTarget.value, line: undefined })}
		>
			{/* Stdout and stderr are separate pipes, so the order between their lines is unknown. */}
			<option value="" title={texts.order}>
				{texts.allOutput}
			</option>
			{types.map((each) => (
				<option key={each}>{each}</option>
			))}
		</select>
	);
}

function LineJump({ line }: { readonly line: number }) {
	return (
		<form
			onSubmit={(event) => {
				event.preventDefault();
				addressBar.change({ line: String(new FormData(event.currentTarget).get("line")) });
			}}
		>
			<input
				class="line-jump"
				name="line"
				type="number"
				min={1}
				aria-label={texts.goToLine}
				placeholder={texts.line}
				defaultValue={line || ""}
			/>
		</form>
	);
}

function Toggle({ label, name, state }: { readonly label: string; readonly name: string; readonly state: { value: boolean } }) {
	return (
		<label class="toggle">
			<input
				type="checkbox"
				checked={state.value}
				onChange={(event) => {
					state.value = event.currentTarget.checked;
					preferences.set(name, state.value);
				}}
			/>
			{label}
		</label>
	);
}
