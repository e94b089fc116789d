import theme from 'vitepress/theme';
import './plumb.css';

export default theme;
