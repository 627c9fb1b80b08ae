/** Each would run something if it became more than text. */
export const scriptTexts: readonly string[] = [
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(2)>',
  '"><svg onload=alert(3)>',
  "javascript:alert(4)//'",
  '<iframe srcdoc="<script>parent.alert(5)</script>"></iframe>',
  '<a href="javascript:alert(7)">x</a>',
  '</title></textarea></script><script>alert(8)</script>',
];
export const scriptText = scriptTexts.join(' ');
