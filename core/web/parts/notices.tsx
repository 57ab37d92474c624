import { notices } from "../kit/notices.ts";

/** What is said about what somebody has done; screen readers say it, too. */
export function NoticeList() {
	return (
		<div class="notices" role="status" aria-live="polite">
			{notices.list.value.map(({ id, kind, text }) => (
				<div key={id} class={`notice ${kind}`}>
					<span>{text}</span>
					<button type="button" class="quiet" aria-label="Put away" onClick={() => notices.dismiss(id)}>
						×
					</button>
				</div>
			))}
		</div>
	);
}
